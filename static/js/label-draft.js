// The ballot on its way: into this browser's storage at once, to the server at every change, and sent.
// “Saved” is said after the server said so. What was posted and not answered is posted again as it
// was, before anything newer: the server knows it by its revision or its key and takes it once.
(() => {
  const { form, closed, fields, told, time } = labelPage;
  const tab = Math.random().toString(36).slice(2), pair = form.dataset.pair, indicator = document.getElementById("saved");
  // A change is saved once the hands rest, and at the latest after the ceiling.
  const DELAY = 400, CEILING = 5000, FRESH = 5 * 60 * 1000, RESTED = 1500, MOST_ALIVE = 20000;
  let server = fields.now(), known = Number(form.dataset.revision);
  let sent = null, queued = null, parked = null;
  // Why nothing is posted now: signed-out, elsewhere, closed, gone, person, left; or nothing.
  let halt = "", renewed = false, hold = false, since = 0, timer = 0, flight = null, tries = 0, acknowledged = Date.now(), isKept = true, pressed = 0, tooLong = null;

  let settled = [indicator.dataset.state, indicator.textContent];
  const changes = () => fields.differing(fields.now(), server);
  const isDirty = () => changes().length > 0;
  const show = (state, words, button) => {
    indicator.dataset.state = state;
    indicator.replaceChildren(words, ...(button ? [button] : []));
    indicator.title = words;
  };
  const button = (words, act) => {
    const made = Object.assign(document.createElement("button"), { type: "button", className: "btn btn-quiet btn-small", textContent: words });
    made.addEventListener("click", act);
    return made;
  };
  const here = () => {
    const count = Math.max(1, changes().length);
    return `${count} change${count === 1 ? "" : "s"} ${isKept ? "kept here" : "on this page only"}`;
  };

  // What another tab of this browser keeps of the pair.
  const theirs = () => {
    const record = kept.read(pair);
    return record?.tab === tab ? null : record;
  };
  function keep() {
    // A round that is over, and a pair that another tab has in hand, are not this page's to write.
    if (halt === "left" || closed) return;
    if (halt === "elsewhere") {
      isKept = kept.write(pair, { fields: server, base: known, active_s: 0, ...theirs(), parked: fields.now() });
      return;
    }
    isKept = kept.write(pair, { tab, fields: fields.now(), base: known, dirty: isDirty(), sent, queued, parked, active_s: Math.max(0, time.unsent() - (sent?.active_s ?? 0) - (queued?.active_s ?? 0)) });
  }

  // ---- What came of it
  const shown = { unreached: "Offline", failed: "No answer" };
  function later(outcome) {
    const why = outcome === "unreached" && navigator.onLine ? "No connection" : shown[outcome];
    show("offline", queued ? `${why}: sent when it is back` : `${why}, ${here()}`);
    clearTimeout(timer);
    timer = setTimeout(save, kept.backOff(++tries));
  }
  function saved(at) {
    const words = new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
    settled = ["saved", `Saved ${words}`];
    show(...settled);
  }
  async function signedOut() {
    halt = "signed-out";
    show("failed", "Not saved: ", button("sign in", askToSignIn));
    if (queued || performance.now() - pressed > RESTED) return askToSignIn();
    // Not into the middle of a word.
    const wait = () => performance.now() - pressed > RESTED ? halt === "signed-out" && askToSignIn() : setTimeout(wait, RESTED / 3);
    setTimeout(wait, RESTED / 3);
  }
  async function askToSignIn() {
    const person = await signIn.ask({ typing: !queued && performance.now() - pressed < 2 * RESTED });
    if (person === signIn.OWN) {
      halt = "";
      tries = 0;
      resume();
    } else if (person === signIn.OTHER) foreign("other");
    else if (halt === "signed-out" && queued) labelPage.say("Not sent: you are signed out. What you entered stays here, and is sent once you sign in.", { seen: true });
  }
  async function foreign(who) {
    who ??= await kept.whoIsHere();
    if (who === null) return later("unreached");
    if (who === "") return signedOut();
    // The token may have been lost or renewed: the cookie that holds has come with that answer.
    if (who === kept.person && !renewed) { renewed = true; return save(); }
    halt = who === kept.person ? "gone" : "person";
    show("failed", halt === "gone" ? "Not saved: no longer yours" : "Not saved: somebody else is signed in");
    if (halt === "gone") told.show("gone", "This pair is no longer yours to label, so nothing more is saved. What you entered stays on this page and can be copied.");
    else told.show("person", "Somebody else is signed in now. Nothing of this page is sent under their name; what was entered stays here.", [["Sign in as before", () => { halt = "signed-out"; askToSignIn(); }], ["To the start page", () => location.assign("/")]]);
  }
  function elsewhere({ revision, draft }) {
    const other = fields.plain(draft ?? {}), mine = queued?.fields ?? fields.now();
    halt = "elsewhere";
    sent = null;
    // What was to be sent is asked about again: it would now be sent over another answer.
    const wasSending = Boolean(queued);
    queued = null;
    keep();
    show("failed", "Not saved: changed in another tab");
    form.dispatchEvent(new Event("elsewhere"));
    told.show("elsewhere", `This pair was changed in another tab since this page was opened, so nothing more is saved here. ${wasSending ? "It was not sent. " : ""}What you entered stays on this page.`, [
      ["Keep mine", () => take(revision, other)],
      ["Load the other", () => { unpark(); location.reload(); }],
    ], fields.inWords(mine, other));
  }
  function take(revision, other) {
    halt = "";
    known = revision;
    server = other;
    kept.forget(pair);
    keep();
    resume();
  }
  // The other tab's own copy stays as it is.
  function unpark() {
    const record = { ...theirs(), parked: null };
    halt = "left";
    if (kept.isUnsent(record)) kept.write(pair, record); else kept.forget(pair);
  }
  function leave() {
    halt = "left";
    clearTimeout(timer);
    kept.forget(pair);
  }

  // ---- Posting, one at a time
  const draft = () => ({ fields: fields.now(), known, active_s: time.unsent() });
  const isSmall = (job) => Object.values(job.fields).join("").length < MOST_ALIVE;
  async function post(job) {
    const hidden = document.visibilityState === "hidden";
    // What outlives the page may hold 64 KB; while the page stays, a long text may hold more.
    const { outcome, answer } = await kept.deliver(pair, job, { keepalive: hidden && isSmall(job) });
    if (outcome !== "taken") return { outcome, answer };
    tries = 0;
    renewed = false;
    acknowledged = Date.now();
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
      kept.tell({ pair, what: "saved" });
      if (!isDirty()) saved(answer.at);
      return true;
    }
    if (outcome === "too-long") {
      tooLong = sent.fields;
      sent = null;
      keep();
      show("failed", `Too long to save, ${here()}`);
      labelPage.say("This is longer than the server takes at once. All of it stays on this page; shorten it to have it saved.", { seen: true });
      return false;
    }
    return refused(outcome, answer);
  }
  async function postVote() {
    if (queued.known === null) queued.known = known;
    const { outcome, answer } = await post(queued);
    if (outcome === "taken") {
      const same = !fields.differing(fields.now(), queued.fields).length;
      kept.forget(pair);
      kept.tell({ pair, what: "sent" });
      if (same || queued.action === "skip") {
        leave();
        show("saved", queued.action === "skip" ? "Put off" : "Sent");
        location.assign(answer.next);
        return false;
      }
      // Changed while it waited: a draft over the vote, which counts once it is sent again.
      server = queued.fields;
      known = "";
      queued = null;
      keep();
      told.show("sent", "Your answer has been sent as it stood when you sent it. What you changed since counts once you send it again.", [["Next pair", () => location.assign(answer.next)]]);
      return true;
    }
    if (outcome === "incomplete") return showErrors();
    if (outcome === "too-long") {
      queued = null;
      keep();
      show("failed", `Too long to send, ${here()}`);
      labelPage.say("Not sent: this is longer than the server takes at once. All of it stays on this page; shorten it and send it again.", { seen: true });
      return false;
    }
    return refused(outcome, answer);
  }
  function refused(outcome, answer) {
    if (outcome === "signed-out") signedOut();
    else if (outcome === "elsewhere") elsewhere(answer);
    else if (outcome === "foreign") foreign();
    else if (outcome === "closed") {
      // The page that the server writes now shows what was entered, and that it was too late.
      halt = "closed";
      keep();
      show("failed", "Not saved: closed");
      if (queued) asForm(queued.action);
      else told.show("closed", "The round was closed before this was saved. What you entered stays on this page and can be copied.");
    } else later(outcome);
    return false;
  }
  // The server writes the page with its errors; it has all that was entered as the draft.
  function showErrors() {
    const { action } = queued;
    leave();
    asForm(action);
    return false;
  }
  function asForm(action) {
    form.elements.csrfmiddlewaretoken.value = kept.token();
    const sends = new FormData(form);
    for (const [name, value] of Object.entries({ ...fields.now(), action })) {
      if (!sends.has(name)) form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    }
    HTMLFormElement.prototype.submit.call(form);
  }

  async function run() {
    for (;;) {
      if (halt) return;
      // Nothing overtakes: a draft that was posted, the vote, then what was changed since.
      if (!sent && !queued) {
        if (!(isDirty() || hold) || tooLong && !fields.differing(tooLong, fields.now()).length) {
          // Changed and changed back before it was posted: what was saved stands.
          if (indicator.dataset.state === "saving") show(...settled);
          return;
        }
        sent = draft();
        hold = false;
        keep();
        show("saving", "Saving…");
      }
      since = 0;
      if (!await (sent ? postDraft() : postVote())) return;
    }
  }
  async function save() {
    clearTimeout(timer);
    flight ??= run().finally(() => { flight = null; });
    await flight;
  }
  const resume = () => { save(); };

  function changed() {
    if (closed || halt === "left") return;
    keep();
    if (halt || tries) {
      if (tries && !halt) show("offline", queued ? indicator.textContent : `${indicator.textContent.split(/[,:]/)[0]}, ${here()}`);
      return;
    }
    if (!isDirty()) return;
    if (indicator.dataset.state === "saved" || !indicator.dataset.state) {
      show("saving", "Saving…");
      kept.tell({ pair, what: "changed" });
    }
    since ||= Date.now();
    clearTimeout(timer);
    timer = setTimeout(save, Math.max(0, Math.min(DELAY, since + CEILING - Date.now())));
  }

  // ---- For the other scripts: before the page is left, and to send
  const outcomes = () => halt || (tries ? "offline" : "saved");
  form.flush = async () => {
    if (Date.now() - acknowledged > FRESH) hold = true;
    await flight;
    await save();
    return outcomes();
  };
  form.deliver = async (action) => {
    // What is no answer goes as the form it is, once the answers are safe.
    if (!["submit", "skip"].includes(action)) return await form.flush() === "saved" && asForm(action);
    if (queued && fields.differing(fields.now(), queued.fields).length === 0 && action === queued.action && !halt) return save();
    if (halt === "left" || halt === "closed" || queued && !tries && !halt) return;
    if (halt === "elsewhere") return labelPage.say("Not sent. Choose first: keep what stands here, or load what the other tab saved.", { seen: true });
    if (halt === "person" || halt === "gone") return labelPage.say("Not sent. What you entered stays here.", { seen: true });
    const waits = tries || halt;
    clearTimeout(timer);
    // An answer that was posted before may have arrived: this one then amends it, under a key of its own.
    const again = queued && queued.known !== null ? { key: crypto.randomUUID?.() ?? "", known: "" } : { key: form.elements.submit_key.value, known: null };
    // A draft that is on its way arrives first.
    queued = { action, fields: fields.now(), reason: form.elements.skip_reason?.value ?? "", active_s: time.unsent() - (sent?.active_s ?? 0), ...again };
    keep();
    if (!waits) show("saving", "Sending…");
    if (halt === "signed-out") return askToSignIn();
    await flight;
    await save();
    if (tries && queued) labelPage.say(isKept ? "Not sent yet: there is no connection. It is kept in this browser and sent by itself when the connection is back; you may close this page." : "Not sent yet: there is no connection. It is sent by itself when the connection is back; keep this page open until then.", { seen: true });
  };

  // ---- Start
  function begin() {
    kept.hold(pair);
    const found = kept.read(pair);
    if (!found) return;
    const mine = fields.whole(found.fields), arrived = found.sent && !fields.differing(found.sent.fields, server).length;
    time.carry((found.active_s ?? 0) + (found.queued?.active_s ?? 0) + (arrived ? 0 : found.sent?.active_s ?? 0));
    parked = found.parked ?? null;
    if (closed) return tooLate(fields.whole(found.parked ?? found.fields), found);
    if (found.queued) {
      fields.put(mine);
      queued = { ...found.queued, fields: fields.whole(found.queued.fields) };
      told.show("restored", "Restored from this browser: your answer, which had not reached the server. It is being sent.");
      return;
    }
    const lost = fields.differing(mine, server);
    if (lost.length && (found.dirty || found.sent)) {
      if (found.base === known || arrived) return restore(mine, lost);
      parked = mine;
    }
    if (parked) offer(fields.whole(parked));
    else keep();
  }
  function restore(mine, lost) {
    const before = server;
    fields.put(mine);
    told.show("restored", `Restored from this browser: ${lost.length} answer${lost.length === 1 ? "" : "s"} that had not reached the server.`, [
      ["Keep", () => {}],
      ["Undo", () => {
        const back = fields.now();
        for (const name of lost) if (name in before) back[name] = before[name]; else delete back[name];
        swap(back);
      }],
    ], fields.inWords(mine, before));
  }
  // The other scripts learn of it by starting anew.
  async function swap(values) {
    fields.put(values);
    keep();
    if (await form.flush() === "saved") leave();
    location.reload();
  }
  function offer(mine) {
    const lines = fields.inWords(mine, server);
    if (!lines.length) { parked = null; return keep(); }
    told.show("parked", "This browser kept answers to this pair that had not reached the server, and it was saved elsewhere since.", [
      ["Leave them", () => { parked = null; keep(); }],
      ["Take them", () => { parked = null; swap(mine); }],
    ], lines);
  }
  function tooLate(mine, found) {
    const lines = fields.inWords(mine, server);
    if (!kept.isUnsent(found)) return kept.forget(pair);
    if (!lines.length) return;
    told.show("closed", "The round was closed before these answers, kept in this browser, had reached the server.", [["Delete them here", () => kept.forget(pair)]], lines);
  }

  // The other tab has said so before its form has arrived; in the end the page is shown anew in any case.
  async function signedOutElsewhere(looks = 20) {
    if (!looks || await kept.whoIsHere() !== kept.person) return location.reload();
    setTimeout(signedOutElsewhere, 300, looks - 1);
  }

  begin();
  kept.listen(({ pair: other, what }) => {
    if (what === "signed-out") { leave(); signedOutElsewhere(); }
    if (other !== pair || halt || closed) return;
    const words = what === "sent" ? "This pair has just been sent from another tab." : "This pair is being changed in another tab just now.";
    told.show("other-tab", words, [["Load the other", () => { if (isDirty()) keep(); location.reload(); }], ["Go on here", () => {}]]);
  });
  if (closed) return;
  form.addEventListener("input", changed);
  form.addEventListener("answered", changed);
  addEventListener("keydown", () => { pressed = performance.now(); }, { capture: true, passive: true });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "hidden") { if (tries) save(); return; }
    keep();
    save();
  });
  addEventListener("online", () => { if (!halt) save(); });
  addEventListener("pageshow", ({ persisted }) => { if (persisted) location.reload(); });
  addEventListener("beforeunload", (event) => { if (!isKept && halt !== "left" && (isDirty() || queued)) event.preventDefault(); });
  if (queued || isDirty()) addEventListener("DOMContentLoaded", resume);
})();
