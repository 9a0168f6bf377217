// What somebody entered on a pair and the server has not taken yet, in this browser's own storage.
// By person and pair: whoever signs in next on a shared machine neither sees nor sends it. Nothing of
// the responses is stored. docs/design/drafts.md has the whole of it.
const kept = (() => {
  const person = document.body.dataset.person ?? "", HEAD = "calibrant:draft:";
  const DAY = 24 * 60 * 60 * 1000, DAYS = 14, ALIVE = 60000;
  const keyOf = (pair) => `${HEAD}${person}:${pair}`;
  // Full, blocked or private: the page goes on without.
  const storage = (act) => {
    try { return act(localStorage); } catch { return undefined; }
  };
  const parsed = (text) => {
    try { return JSON.parse(text); } catch { return null; }
  };
  const keys = (head) => storage((store) => Object.keys(store).filter((key) => key.startsWith(head))) ?? [];
  const isUnsent = (record) => Boolean(record && (record.dirty || record.sent || record.queued || record.parked?.length));

  // Passages of a response are kept by their places alone; the page they belong to reads the words anew.
  function lean(fields) {
    const list = fields.evidence ? parsed(fields.evidence) : null;
    if (!Array.isArray(list) || !list.some((one) => one?.quote)) return fields;
    return { ...fields, evidence: JSON.stringify(list.map((one) => one?.quote ? { ...one, quote: "" } : one)) };
  }
  const leanIn = (holder) => holder && { ...holder, fields: lean(holder.fields) };
  const leanJob = (job) => job && { ...leanIn(job), ...(job.before && { before: job.before.map(lean) }) };

  function everyone() {
    // Of others only the age is looked at.
    for (const key of keys(HEAD)) {
      const at = storage((store) => parsed(store.getItem(key))?.at);
      if (!(Date.now() - at < DAYS * DAY)) storage((store) => store.removeItem(key));
    }
  }
  everyone();

  const channel = person && "BroadcastChannel" in window ? new BroadcastChannel(`calibrant:${person}`) : null;

  return {
    person,
    isUnsent,
    lean,
    // To and from the other tabs of this person.
    tell(message) { channel?.postMessage(message); },
    listen(act) { channel?.addEventListener("message", ({ data }) => act(data)); },

    read(pair) { return person ? storage((store) => parsed(store.getItem(keyOf(pair)))) ?? null : null; },
    // Whether it is kept.
    write(pair, record) {
      if (!person) return false;
      const { sent, queued, parked } = record;
      const lines = { ...leanIn(record), at: Date.now(), sent: leanJob(sent), queued: leanJob(queued), parked: parked?.map(leanIn) };
      return storage((store) => { store.setItem(keyOf(pair), JSON.stringify(lines)); return true; }) ?? false;
    },
    forget(pair) { storage((store) => store.removeItem(keyOf(pair))); },
    // Pairs of this person that hold something which the server has not taken.
    unsent() {
      const head = keyOf("");
      return (person ? keys(head) : []).map((key) => key.slice(head.length)).filter((pair) => isUnsent(this.read(pair)));
    },
    forgetPerson() {
      for (const key of [...keys(keyOf("")), `calibrant:work:${person}`]) storage((store) => store.removeItem(key));
    },

    // One page at a time writes for a pair: the one that shows it. Without locks (plain HTTP, another
    // machine) a copy that has just been written belongs to a page that is open.
    hold(pair) { navigator.locks?.request(keyOf(pair), () => new Promise(() => {})); },
    async whileNobodyHolds(pair, act) {
      if (!navigator.locks) return Date.now() - this.read(pair)?.at < ALIVE ? undefined : act();
      return navigator.locks.request(keyOf(pair), { ifAvailable: true }, (lock) => lock && act());
    },

    // The cookie has the token that holds: signing in, here or in another tab, renews it.
    token() {
      const cookie = document.cookie.split("; ").find((pair) => pair.startsWith("csrftoken="));
      return cookie?.slice("csrftoken=".length) ?? "";
    },

    // Send fields as the form would; what came of it, in one word, and the answer.
    async post(url, fields, { keepalive = false } = {}) {
      const body = new FormData();
      for (const [name, value] of Object.entries(fields)) body.set(name, value);
      let response;
      try {
        const headers = { Accept: "application/json", "X-CSRFToken": this.token() };
        response = await fetch(url, { method: "POST", body, keepalive, redirect: "manual", headers });
      } catch {
        return { outcome: "unreached" };
      }
      if (response.type === "opaqueredirect") return { outcome: "signed-out" };
      const answer = await response.json().catch(() => null);
      if (response.ok && answer) return { outcome: "taken", answer };
      if (response.status === 409) return { outcome: answer?.reason ?? "closed", answer };
      return { outcome: { 403: "foreign", 404: "foreign", 413: "too-long", 422: "incomplete" }[response.status] ?? "failed", answer };
    },

    // The two kinds of what is sent; both change nothing when they arrive again.
    async deliver(pair, job, options) {
      const about = { ...job.fields, known_revision: job.known, active_s: job.active_s };
      if (!job.action) return this.post(`/label/pair/${pair}/draft/`, about, options);
      const vote = { ...about, action: job.action, submit_key: job.key, skip_reason: job.reason };
      return this.post(`/label/pair/${pair}/`, vote, options);
    },

    // Whose session holds: a key, "" for nobody's, null where the server is not reached.
    async whoIsHere() {
      try {
        const response = await fetch("/login/here/", { headers: { Accept: "application/json" } });
        return (await response.json().catch(() => ({ person: "" }))).person;
      } catch {
        return null;
      }
    },

    // Ever longer, at most a minute, and never all browsers at once.
    backOff: (tries) => Math.min(60000, 1000 * 2 ** tries) * (0.75 + Math.random() / 2),
  };
})();
