// Working time: seconds with a hand on the page. A pause counts as half a minute at most, a hidden
// page not at all; what has been acknowledged is never sent again. And after 45 minutes without a
// pause of five, counted over pages, the offer of one.
(() => {
  const { form, closed } = labelPage;
  const PAUSE = 30000, REST = 5 * 60000, STRETCH = 45 * 60000, AGAIN = 20 * 60000, TYPING = 3000, NOTED = 5000;
  const KEY = `calibrant:work:${kept.person}`;
  let counted = 0, last = performance.now(), acknowledged = 0, typed = -TYPING, here = document.visibilityState === "visible";

  const sum = () => counted + (here ? Math.min(performance.now() - last, PAUSE) : 0);
  function hand() {
    if (!here) return;
    counted = sum();
    last = performance.now();
  }
  labelPage.time = {
    // Whole seconds that no acknowledged save holds.
    unsent: () => closed ? 0 : Math.max(0, Math.floor(sum() / 1000) - acknowledged),
    acknowledge(seconds) { acknowledged += seconds; },
    // From an earlier visit to the pair that ended before they could be sent.
    carry(seconds) { counted += 1000 * seconds; },
  };
  if (closed) return;

  // ---- Over pages: since when, when last, and until when no pause is offered
  let memory = null;
  const work = () => {
    try { return JSON.parse(localStorage.getItem(KEY)) ?? memory; } catch { return memory; }
  };
  const note = (changes) => {
    memory = { ...work(), ...changes };
    try { localStorage.setItem(KEY, JSON.stringify(memory)); } catch { /* this page remembers it */ }
  };
  const rested = (at) => !(at - work()?.last < REST);
  function worked() {
    const at = Date.now();
    if (rested(at)) note({ since: at, last: at, until: 0 });
    else if (at - work().last > NOTED) note({ last: at });
    if (labelPage.told.kind === "break" && at - work().since < STRETCH) labelPage.told.hide("break");
  }
  function offer() {
    const at = Date.now(), so = work();
    if (!so || rested(at) || at - so.since < STRETCH || at < so.until) return;
    if (labelPage.told.kind || performance.now() - typed < TYPING) return;
    labelPage.told.show("break", `${Math.floor((at - so.since) / 60000)} minutes without a pause. Take five; your place is kept.`, [
      ["Pause", async () => { await form.flush(); location.assign("/"); }],
      ["Go on", () => note({ until: Date.now() + AGAIN })],
    ]);
  }
  setInterval(offer, 5000);

  for (const name of ["keydown", "pointerdown", "pointermove", "wheel", "scroll", "touchmove", "input"]) {
    addEventListener(name, () => { hand(); worked(); }, { capture: true, passive: true });
  }
  addEventListener("keydown", ({ target }) => {
    if (target.matches?.("textarea, input:not([type=radio], [type=checkbox])")) typed = performance.now();
  }, { capture: true, passive: true });
  document.addEventListener("visibilitychange", () => {
    hand();
    here = document.visibilityState === "visible";
    last = performance.now();
  });
  worked();
})();
