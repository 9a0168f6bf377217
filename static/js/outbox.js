// On every page: what a pair's own page could not bring to the server goes on its way again, and
// signing out leaves nothing of this person's in the browser, after a warning where something waits.
(() => {
  if (!kept.person) return;
  const own = document.getElementById("ballot")?.dataset.pair;
  let tries = 0, box = null;

  const made = (name, more, ...parts) => {
    const element = Object.assign(document.createElement(name), more);
    element.append(...parts);
    return element;
  };
  const pairs = (count) => `${count} pair${count === 1 ? "" : "s"}`;
  function tell(...parts) {
    if (!box) {
      box = made("aside", { className: "outbox" });
      box.setAttribute("role", "status");
      box.setAttribute("aria-label", "Answers kept in this browser");
      document.body.append(box);
    }
    const close = made("button", { type: "button", className: "btn btn-quiet btn-small", textContent: "Close" });
    close.addEventListener("click", () => { box.remove(); box = null; });
    box.replaceChildren(made("p", {}, ...parts), close);
  }

  // Passages are kept by their places alone: only the pair's own page can say them whole.
  const needsPage = ({ fields }) => /"quote":""/.test(fields.evidence ?? "");
  // Sent, kept (not reached: later again), or a case for its person.
  async function bring(pair) {
    let record = kept.read(pair);
    if (record?.parked?.length) return "look";
    for (;;) {
      if (!kept.isUnsent(record)) return "sent";
      const { fields, base, active_s } = record;
      const job = record.sent ?? record.queued ?? { fields, known: base, active_s };
      if (needsPage(job)) return "look";
      if (job === record.queued && job.known === null) job.known = record.base;
      if (job !== record.queued) record.sent = job;
      kept.write(pair, record);
      const { outcome, answer } = await kept.deliver(pair, job);
      if (outcome === "unreached" || outcome === "failed") return "kept";
      if (outcome !== "taken") return outcome === "signed-out" ? "kept" : "look";
      const rest = JSON.stringify(record.fields) !== JSON.stringify(job.fields);
      if (job === record.queued) {
        if (!rest || job.action === "skip") { kept.forget(pair); return "sent"; }
        record = { ...record, queued: null, base: answer.revision ?? record.base, dirty: true, active_s: 0 };
      } else record = { ...record, sent: null, base: answer.revision, dirty: rest, active_s: 0 };
      kept.write(pair, record);
    }
  }
  async function bringAll() {
    const found = { sent: [], kept: [], look: [] };
    for (const pair of kept.unsent()) {
      if (pair === own) continue;
      const came = await kept.whileNobodyHolds(pair, () => bring(pair));
      found[came]?.push(pair);
    }
    const parts = [];
    if (found.sent.length) parts.push(`What this browser kept of ${pairs(found.sent.length)} has reached the server. `);
    if (found.kept.length) parts.push(`Answers to ${pairs(found.kept.length)} are kept in this browser and sent when the connection is back. `);
    if (found.look.length) {
      parts.push(`Answers to ${pairs(found.look.length)}, kept in this browser, need a look before they are sent: `);
      for (const [n, pair] of found.look.entries()) {
        const textContent = found.look.length === 1 ? "open it" : `open ${n + 1}`;
        parts.push(n ? ", " : "", made("a", { href: `/label/pair/${pair}/`, textContent }));
      }
    }
    if (parts.length) tell(...parts);
    if (found.kept.length) setTimeout(bringAll, kept.backOff(++tries)); else tries = 0;
  }
  bringAll();
  addEventListener("online", () => { if (tries) bringAll(); });

  // ---- Signing out
  const out = document.querySelector('form[action="/logout/"]');
  function leave() {
    kept.forgetPerson();
    kept.tell({ what: "signed-out" });
  }
  function warn(count) {
    const stay = made("button", { className: "btn btn-primary", textContent: "Stay signed in" });
    const go = made("button", { type: "button", className: "btn btn-danger", textContent: "Sign out and delete them" });
    const head = made("h2", { id: "sign-out-head", textContent: "Not everything has reached the server" });
    const only = `Answers to ${pairs(count)} are kept in this browser only.`;
    const words = made("p", { className: "note", textContent: `${only} Signing out deletes them, so that nobody else on this machine gets them.` });
    const dialog = made("dialog", { className: "dialog" }, head, words, made("form", { method: "dialog", className: "actions" }, go, stay));
    dialog.setAttribute("aria-labelledby", "sign-out-head");
    go.addEventListener("click", () => { leave(); out.submit(); });
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    stay.focus();
  }
  out?.addEventListener("submit", (event) => {
    const { length } = kept.unsent();
    if (!length) return leave();
    event.preventDefault();
    warn(length);
  });
})();
