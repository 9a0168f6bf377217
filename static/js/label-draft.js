// The ballot on its way: into this browser's storage at once, to the server at every change, and sent.
// “Saved” is said after the server said so. What was posted and not answered is posted again as it
// was, before anything newer: the server knows it by its revision or its key and takes it once.
(() => {
  const { form, closed, fields, told, time, saved, copy, refusal, say } = labelPage;
  const pair = form.dataset.pair;
  // A change is saved once the hands rest, and at the latest after the ceiling.
  const DELAY = 400, CEILING = 5000, FRESH = 5 * 60 * 1000, RESTED = 1500, MOST_ALIVE = 20000;
  // Why nothing is posted now.
  const HALT = Object.freeze({
    NONE: "", SIGNED_OUT: "signed-out", ELSEWHERE: "elsewhere", CLOSED: "closed", GONE: "gone", PERSON: "person", LEFT: "left",
  });

  // What the server has, the revision that says so, what is posted and not answered, and the vote that waits.
  let server = fields.now(), known = Number(form.dataset.revision), sent = null, queued = null;
  let halt = HALT.NONE, tooLong = null;
  // The way there: one post at a time, tried again ever later.
  const way = { flight: null, timer: 0, tries: 0, since: 0, acknowledged: Date.now(), hold: false, renewed: false };
  let pressed = 0, settled = saved.current;

  const changes = () => fields.differing(fields.now(), server);
  const isDirty = () => changes().length > 0;
  const isResting = (within = RESTED) => performance.now() - pressed > within;
  const counted = (count) => `${count} change${count === 1 ? "" : "s"}`;
  const here = () => `${counted(Math.max(1, changes().length))} ${copy.isKept ? "kept here" : "on this page only"}`;
  const seen = (words) => say(words, { seen: true });

  function record() {
    const counting = (sent?.active_s ?? 0) + (queued?.active_s ?? 0);
    const active_s = Math.max(0, time.unsent() - counting);
    return { fields: fields.now(), base: known, dirty: isDirty(), sent, queued, active_s };
  }
  function keep() {
    // A round that is over, and a pair that another tab has in hand, are not this page's to write.
    if (halt === HALT.LEFT || closed) return;
    if (halt === HALT.ELSEWHERE) copy.park(fields.now(), server, known); else copy.keep(record());
  }

  // ---- What came of it
  const LATER = { unreached: ["Offline", "Offline"], failed: ["No answer", "Unsent"] };
  let why = LATER.unreached;
  function sayLater() {
    const [words, short] = why, count = Math.max(1, changes().length);
    const whole = queued ? `${words}: sent when it is back` : `${words}, ${here()}`;
    saved.show("offline", whole, { short: queued ? short : `${short} ${count}`, kind: words });
  }
  function later(outcome) {
    why = outcome === "unreached" && navigator.onLine ? ["No connection", "Unsent"] : LATER[outcome];
    sayLater();
    clearTimeout(way.timer);
    way.timer = setTimeout(save, kept.backOff(++way.tries));
  }
  function settle(at) {
    const clock = { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false };
    saved.show("saved", `Saved ${new Date(at).toLocaleTimeString([], clock)}`, { short: "Saved" });
    settled = saved.current;
  }
  const saving = (words) => saved.show("saving", words, { short: "Saving…" });
  const failed = (words, more = {}) => saved.show("failed", words, { short: "Not saved", ...more });

  // ---- Signed out, or another person
  function signedOut() {
    halt = HALT.SIGNED_OUT;
    failed("Not saved", { short: "Sign in", kind: "signed out", act: askToSignIn });
    if (queued || isResting()) return askToSignIn();
    // Not into the middle of a word.
    const wait = () => {
      if (!isResting()) setTimeout(wait, RESTED / 3);
      else if (halt === HALT.SIGNED_OUT) askToSignIn();
    };
    setTimeout(wait, RESTED / 3);
  }
  async function askToSignIn() {
    const person = await signIn.ask({ typing: !queued && !isResting(2 * RESTED) });
    if (person === signIn.OWN) {
      halt = HALT.NONE;
      way.tries = 0;
      save();
    } else if (person === signIn.OTHER) foreign("other");
    else if (halt === HALT.SIGNED_OUT && queued) seen("Not sent: you are signed out. What you entered stays here, and is sent once you sign in.");
  }
  async function foreign(who) {
    who ??= await kept.whoIsHere();
    if (who === null) return later("unreached");
    if (who === "") return signedOut();
    // The token may have been lost or renewed: the cookie that holds has come with that answer.
    if (who === kept.person && !way.renewed) { way.renewed = true; return save(); }
    if (who === kept.person) notTheirs(); else otherPerson();
  }
  function notTheirs() {
    halt = HALT.GONE;
    failed("Not saved: no longer yours");
    told.show("gone", "This pair is no longer yours to label, so nothing more is saved. What you entered stays on this page and can be copied.");
  }
  function otherPerson() {
    halt = HALT.PERSON;
    failed("Not saved: somebody else is signed in");
    const words = "Somebody else is signed in now. Nothing of this page is sent under their name; what was entered stays here.";
    told.show("person", words, [
      ["Sign in as before", () => { halt = HALT.SIGNED_OUT; askToSignIn(); }],
      ["To the start page", () => location.assign("/")],
    ]);
  }

  // ---- Another tab was first
  function elsewhere({ revision, draft }) {
    const other = fields.plain(draft ?? {}), mine = queued?.fields ?? fields.now();
    halt = HALT.ELSEWHERE;
    sent = null;
    // What was to be sent is asked about again: it would now be sent over another answer.
    const notSent = queued ? "It was not sent. " : "";
    queued = null;
    copy.dropSame(other);
    keep();
    failed("Not saved: changed in another tab");
    form.dispatchEvent(new Event("elsewhere"));
    const words = "This pair was changed in another tab since this page was opened, so nothing more is saved here.";
    told.show("elsewhere", `${words} ${notSent}What you entered stays on this page.`, [
      ["Keep mine", () => take(revision, other)],
      ["Load the other", loadOther],
    ], fields.inWords(mine, other));
  }
  function take(revision, other) {
    halt = HALT.NONE;
    known = revision;
    server = other;
    copy.dropSame(other);
    keep();
    save();
  }
  function loadOther() {
    halt = HALT.LEFT;
    copy.unpark();
    location.assign(location.pathname);
  }
  // All of it has reached the server, or was given up.
  function leave() {
    halt = HALT.LEFT;
    clearTimeout(way.timer);
    copy.release(server, known);
  }

  // ---- Posting, one at a time
  const isSmall = (job) => Object.values(job.fields).join("").length < MOST_ALIVE;
  async function post(job) {
    const isHidden = document.visibilityState === "hidden";
    // What outlives the page may hold 64 KB; while the page stays, a long text may hold more.
    const { outcome, answer } = await kept.deliver(pair, job, { keepalive: isHidden && isSmall(job) });
    // A vote that is not whole is kept as the draft all the same.
    if (outcome !== "taken" && outcome !== "incomplete") return { outcome, answer };
    Object.assign(way, { tries: 0, renewed: false, acknowledged: Date.now() });
    time.acknowledge(job.active_s);
    return { outcome, answer };
  }
  async function postDraft() {
    const { outcome, answer } = await post(sent);
    if (outcome === "taken") {
      server = sent.fields;
      known = answer.revision;
      sent = null;
      keep();
      kept.tell({ pair, what: "saved", tab: copy.tab });
      if (!isDirty()) settle(answer.at);
      return true;
    }
    if (outcome !== "too-long") return refused(outcome, answer);
    tooLong = sent.fields;
    sent = null;
    keep();
    saved.show("failed", `Too long to save, ${here()}`, { short: "Too long" });
    seen("This is longer than the server takes at once. All of it stays on this page; shorten it to have it saved.");
    return false;
  }
  async function postVote() {
    if (queued.known === null) queued.known = known;
    const { outcome, answer } = await post(queued);
    if (outcome === "taken") return taken(answer);
    if (outcome === "incomplete") return incomplete(answer);
    if (outcome === "elsewhere" && isOwnBefore(answer)) {
      // What stands there is what this page had posted before: this amends it.
      queued.known = answer.revision;
      keep();
      return true;
    }
    if (outcome !== "too-long") return refused(outcome, answer);
    queued = null;
    keep();
    saved.show("failed", `Too long to send, ${here()}`, { short: "Too long" });
    seen("Not sent: this is longer than the server takes at once. All of it stays on this page; shorten it and send it again.");
    return false;
  }
  const isOwnBefore = ({ draft }) => Boolean(queued.before?.some((one) => !fields.differing(one, fields.plain(draft ?? {})).length));
  function taken(answer) {
    const vote = queued, isWhole = !fields.differing(fields.now(), vote.fields).length;
    server = vote.fields;
    known = answer.revision ?? known;
    queued = null;
    kept.tell({ pair, what: "sent", tab: copy.tab });
    if (isWhole || vote.action === "skip") {
      leave();
      saved.show("saved", vote.action === "skip" ? "Put off" : "Sent");
      location.assign(answer.next);
      return false;
    }
    // Changed while it waited: a draft over the vote, which counts once it is sent again.
    keep();
    const words = "Your answer has been sent as it stood when you sent it. What you changed since counts once you send it again.";
    told.show("sent", words, [["Next pair", () => location.assign(answer.next)]]);
    return true;
  }
  function incomplete(answer) {
    const { action } = queued;
    queued = null;
    if (!answer?.errors) { asForm(action); return false; }
    server = fields.plain(answer.draft);
    known = answer.revision;
    keep();
    told.hide("restored");
    saved.show("saved", "Saved, not sent", { short: "Not sent" });
    settled = saved.current;
    refusal.show(answer.errors);
    return true;
  }
  function refused(outcome, answer) {
    if (outcome === "signed-out") signedOut();
    else if (outcome === "elsewhere") elsewhere(answer);
    else if (outcome === "foreign") foreign();
    else if (outcome === "closed") tooLateNow();
    else later(outcome);
    return false;
  }
  function tooLateNow() {
    halt = HALT.CLOSED;
    keep();
    failed("Not saved: closed");
    // The page that the server writes now shows what was entered, and that it was too late.
    if (queued) return asForm(queued.action);
    told.show("closed", "The round was closed before this was saved. What you entered stays on this page and can be copied.");
  }
  function asForm(action) {
    form.elements.csrfmiddlewaretoken.value = kept.token();
    form.elements.known_revision.value = known;
    const sends = new FormData(form);
    for (const [name, value] of Object.entries({ ...fields.now(), action })) {
      if (!sends.has(name)) form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    }
    HTMLFormElement.prototype.submit.call(form);
  }

  // Nothing overtakes: a draft that was posted, the vote, then what was changed since.
  const isTooLong = () => Boolean(tooLong) && !fields.differing(tooLong, fields.now()).length;
  function nextDraft() {
    if (!(isDirty() || way.hold) || isTooLong()) {
      // Changed and changed back before it was posted: what was saved stands.
      if (saved.state === "saving") saved.current = settled;
      return null;
    }
    way.hold = false;
    return { fields: fields.now(), known, active_s: time.unsent() };
  }
  async function run() {
    while (!halt) {
      if (!sent && !queued) {
        sent = nextDraft();
        if (!sent) return;
        keep();
        saving("Saving…");
      }
      way.since = 0;
      if (!await (sent ? postDraft() : postVote())) return;
    }
  }
  async function save() {
    clearTimeout(way.timer);
    way.flight ??= run().finally(() => { way.flight = null; });
    await way.flight;
  }

  function changed() {
    if (closed || halt === HALT.LEFT) return;
    keep();
    if (halt) return;
    if (way.tries) return sayLater();
    if (!isDirty()) return;
    if (saved.state === "saved" || !saved.state) {
      saving("Saving…");
      kept.tell({ pair, what: "changed", tab: copy.tab });
    }
    way.since ||= Date.now();
    clearTimeout(way.timer);
    way.timer = setTimeout(save, Math.max(0, Math.min(DELAY, way.since + CEILING - Date.now())));
  }

  // ---- For the other scripts: before the page is left, and to send
  const outcome = () => halt || (way.tries ? "offline" : "saved");
  form.flush = async () => {
    if (Date.now() - way.acknowledged > FRESH) way.hold = true;
    await way.flight;
    await save();
    return outcome();
  };

  // Another set of keys: it goes as the form it is, once the answers are safe and the server is there.
  const UNREACHED = { offline: "there is no connection", [HALT.SIGNED_OUT]: "you are signed out" };
  async function deliverForm(action) {
    way.hold = true;
    const came = await form.flush();
    if (came === "saved") return asForm(action);
    document.getElementById("keys").close();
    seen(`Your keys stay as they were: ${UNREACHED[came] ?? "this page cannot be saved just now"}. Choose them again once it is saved.`);
  }
  // Whether a vote may be made of what stands here now; where not, why is said.
  function maySend() {
    if (halt === HALT.ELSEWHERE) seen("Not sent. Choose first: keep what stands here, or load what the other tab saved.");
    else if (halt === HALT.PERSON || halt === HALT.GONE) seen("Not sent. What you entered stays here.");
    else return halt === HALT.NONE || halt === HALT.SIGNED_OUT;
    return false;
  }
  function vote(action) {
    const reason = form.elements.skip_reason?.value ?? "", active_s = Math.max(0, time.unsent() - (sent?.active_s ?? 0));
    const made = { action, fields: fields.now(), reason, active_s, key: form.elements.submit_key.value, known: null };
    if (!queued || queued.known === null) return made;
    // One that was posted before may have arrived: this one then amends it, under a key of its own,
    // and from the revision that the first one knew.
    const before = [...(queued.before ?? []), queued.fields];
    return { ...made, key: crypto.randomUUID?.() ?? "", known: queued.known, before };
  }
  const isQueued = (action) => queued?.action === action && !fields.differing(fields.now(), queued.fields).length;
  form.deliver = async (action) => {
    if (!["submit", "skip"].includes(action)) return deliverForm(action);
    if (isQueued(action) && !halt) return save();
    if (queued && !way.tries && !halt || !maySend()) return;
    const waits = way.tries || halt;
    clearTimeout(way.timer);
    refusal.clear();
    queued = vote(action);
    keep();
    if (!waits) saving("Sending…");
    if (halt === HALT.SIGNED_OUT) return askToSignIn();
    // A draft that is on its way arrives first.
    await way.flight;
    await save();
    if (way.tries && queued) sayWaits();
  };
  function sayWaits() {
    seen(copy.isKept
      ? "Not sent yet: there is no connection. It is kept in this browser and sent by itself when the connection is back; you may close this page."
      : "Not sent yet: there is no connection. It is sent by itself when the connection is back; keep this page open until then.");
  }

  // ---- Start: what a page that is gone has left here
  function begin() {
    kept.hold(pair);
    if (form.dataset.elsewhere) return refusedAsForm();
    const found = copy.read();
    if (!found) return;
    if (closed) return tooLate(found);
    const arrived = Boolean(found.sent) && !fields.differing(found.sent.fields, server).length;
    time.carry((found.active_s ?? 0) + (found.queued?.active_s ?? 0) + (arrived ? 0 : found.sent?.active_s ?? 0));
    const mine = fields.whole(found.fields), lost = fields.differing(mine, server);
    const isLost = copy.isOwn(found) && lost.length > 0;
    if (found.queued) return sendAgain(found, mine);
    if (isLost && (found.base === known || arrived)) return restore(found, mine, lost);
    copy.adopt(found, { conflicting: isLost });
    copy.claim(record());
    offer();
  }
  // The server wrote this page since another tab had been first: what stands here is not saved.
  function refusedAsForm() {
    document.getElementById("other-version")?.remove();
    elsewhere(JSON.parse(form.dataset.elsewhere));
  }
  function sendAgain(found, mine) {
    fields.put(mine);
    queued = { ...found.queued, fields: fields.whole(found.queued.fields) };
    copy.adopt(found);
    copy.claim(record());
    told.show("restored", "Restored from this browser: your answer, which had not reached the server. It is being sent.");
  }
  function restore(found, mine, lost) {
    const before = server;
    fields.put(mine);
    copy.adopt(found);
    copy.claim(record());
    const undo = () => {
      const back = fields.now();
      for (const name of lost) if (name in before) back[name] = before[name]; else delete back[name];
      swap(back);
    };
    const words = `Restored from this browser: ${lost.length} answer${lost.length === 1 ? "" : "s"} that had not reached the server.`;
    told.show("restored", words, [["Keep", () => {}], ["Undo", undo]], fields.inWords(mine, before));
  }
  // The other scripts learn of it by starting anew.
  async function swap(values) {
    fields.put(values);
    keep();
    if (await form.flush() === "saved") leave();
    location.reload();
  }
  // One after the other, what tabs have left that the server does not have.
  function offer() {
    copy.dropSame(server);
    const [entry] = copy.parked;
    if (!entry) return keep();
    const mine = fields.whole(entry.fields), decided = () => copy.drop(entry.tab);
    told.show("parked", "This browser kept answers to this pair that had not reached the server, and it was saved elsewhere since.", [
      ["Leave them", () => { decided(); keep(); offer(); }],
      ["Take them", () => { decided(); swap(mine); }],
    ], fields.inWords(mine, server));
  }
  function tooLate(found) {
    if (!kept.isUnsent(found)) return kept.forget(pair);
    const left = [...(copy.isOwn(found) ? [found] : []), ...(found.parked ?? [])];
    const lines = left.flatMap((one) => fields.inWords(fields.whole(one.fields), server));
    if (!lines.length) return;
    const words = "The round was closed before these answers, kept in this browser, had reached the server.";
    told.show("closed", words, [["Delete them here", () => kept.forget(pair)]], lines);
  }

  // ---- The other tabs of this person
  // One has said so before its form has arrived; in the end the page is shown anew in any case.
  async function signedOutElsewhere(looks = 20) {
    if (!looks || await kept.whoIsHere() !== kept.person) return location.reload();
    setTimeout(signedOutElsewhere, 300, looks - 1);
  }
  function heard({ pair: other, what, tab }) {
    if (what === "signed-out") {
      halt = HALT.LEFT;
      clearTimeout(way.timer);
      kept.forget(pair);
      return signedOutElsewhere();
    }
    if (other !== pair) return;
    if (what !== "changed") copy.drop(tab);
    if (halt || closed) return;
    const words = what === "sent" ? "This pair has just been sent from another tab." : "This pair is being changed in another tab just now.";
    const load = () => { if (isDirty()) keep(); location.reload(); };
    told.show("other-tab", words, [["Load the other", load], ["Go on here", () => {}]]);
  }

  begin();
  kept.listen(heard);
  if (closed) return;
  form.addEventListener("input", changed);
  form.addEventListener("answered", changed);
  addEventListener("keydown", () => { pressed = performance.now(); }, { capture: true, passive: true });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "hidden") { if (way.tries) save(); return; }
    keep();
    save();
  });
  addEventListener("online", () => { if (!halt) save(); });
  addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });
  addEventListener("beforeunload", (event) => {
    if (!copy.isKept && halt !== HALT.LEFT && (isDirty() || queued)) event.preventDefault();
  });
  if (queued || isDirty()) addEventListener("DOMContentLoaded", save);
})();
