// What the scripts of the label page share: the form, the live region, and which key does what.
const labelPage = (() => {
  const form = document.getElementById("ballot");
  const keyOf = JSON.parse(form.dataset.keys), acts = new Map();
  return {
    form,
    closed: form.hasAttribute("data-closed"),
    keyOf,
    // `whileClosed`: it only reads, so it works in a closed round; `repeat`: it may be held down.
    on(action, act, { whileClosed = false, repeat = false } = {}) {
      if (keyOf[action]) acts.set(keyOf[action], { act, whileClosed, repeat });
    },
    // What a key press is to do; null where it does nothing.
    actOf(event) {
      const found = acts.get(event.key.toLowerCase());
      if (!found || this.closed && !found.whileClosed || event.repeat && !found.repeat) return null;
      return found.act;
    },
    say(words, { seen = false } = {}) {
      const line = document.getElementById("say");
      line.textContent = words;
      line.classList.toggle("vh", !seen);
    },
  };
})();
