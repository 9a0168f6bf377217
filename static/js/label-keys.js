// What the scripts of the label page share: the form, the live region, and which key does what.
const labelPage = (() => {
  const form = document.getElementById("ballot"), line = document.getElementById("say");
  const keyOf = JSON.parse(form.dataset.keys), acts = new Map();
  const FADES = 5000;
  // Whoever speaks to a machine that types letters may set them off, in this browser.
  const OFF = "calibrant-letter-keys";
  let fading = 0, lettersOff = false;
  try { lettersOff = localStorage.getItem(OFF) === "off"; } catch { /* then they are on */ }
  return {
    form,
    closed: form.hasAttribute("data-closed"),
    keyOf,
    get lettersOff() { return lettersOff; },
    setLettersOff(off) {
      lettersOff = off;
      try { localStorage.setItem(OFF, off ? "off" : "on"); } catch { /* it holds for this page */ }
    },
    // `whileClosed`: it only reads, so it works in a closed round; `repeat`: it may be held down.
    on(action, act, { whileClosed = false, repeat = false } = {}) {
      if (keyOf[action]) acts.set(keyOf[action], { act, whileClosed, repeat });
    },
    // A letter with Shift is another key than without; a sign is itself, however it is typed.
    nameOf({ key, shiftKey }) {
      const name = key.toLowerCase();
      return shiftKey && name.length === 1 && name !== name.toUpperCase() ? `shift+${name}` : name;
    },
    // What a key press is to do; null where it does nothing.
    actOf(event) {
      if (lettersOff && event.key.length === 1) return null;
      const found = acts.get(this.nameOf(event));
      if (!found || this.closed && !found.whileClosed || event.repeat && !found.repeat) return null;
      return found.act;
    },
    // Read out, and seen over the prompt's strip, where it moves nothing; `seen`: until more is said.
    say(words, { seen = false } = {}) {
      clearTimeout(fading);
      line.textContent = words;
      line.dataset.shown = seen ? "warning" : "note";
      if (!seen) fading = setTimeout(() => delete line.dataset.shown, FADES);
    },
  };
})();
