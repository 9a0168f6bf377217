// What the bar says of saving: in few words where the bar is narrow. It is read out when saving
// begins to fail and when it is well again, and at no other time.
labelPage.saved = (() => {
  const sign = document.getElementById("saved"), says = document.getElementById("saved-says");
  const narrow = matchMedia("(max-width: 63.99rem)"), TROUBLES = new Set(["offline", "failed"]);
  let now = { state: sign.dataset.state, words: sign.textContent, short: sign.textContent }, trouble = "";

  function draw() {
    const { state, words, short, act } = now;
    const said = narrow.matches ? short : words;
    sign.dataset.state = state;
    sign.title = words;
    if (!act) return sign.replaceChildren(said);
    sign.replaceChildren(narrow.matches ? "" : `${words}: `, labelPage.dom.button(short, act));
  }
  function readOut({ state, words, kind }) {
    if (TROUBLES.has(state)) {
      if (trouble !== kind) says.textContent = words;
      trouble = kind;
    } else if (trouble && state !== "saving") {
      says.textContent = words;
      trouble = "";
    }
  }
  narrow.addEventListener("change", draw);

  return {
    get state() { return now.state; },
    get words() { return now.words; },
    // `short`: for a narrow bar; `kind`: what is news when it changes; `act`: a button, named by `short`.
    show(state, words, { short = words, kind = words, act = null } = {}) {
      now = { state, words, short, kind, act };
      draw();
      readOut(now);
    },
    // Back to what was said before, where nothing came of it.
    get current() { return now; },
    set current(before) { now = before; draw(); },
  };
})();
