// Citations: tokens in the rationale, put in by chips or by typing c4.
labelPage.citations = (() => {
  const { all } = labelPage.dom;
  const field = document.getElementById("rationale");
  const chips = all("[data-token]"), names = chips.map((chip) => chip.dataset.token);
  const checks = all(".crit").map((row) => row.dataset.key);
  // The word that was taken for an id at once, and where the cursor stood then.
  let taken = null;

  function replace(from, to, words) {
    field.focus();
    field.setSelectionRange(from, to);
    // The one way that keeps the browser's own undo; where it is gone, the text still changes.
    if (!document.execCommand("insertText", false, words)) field.setRangeText(words, from, to, "end");
  }
  function cite(token) {
    const { selectionStart: from, selectionEnd: to, value } = field;
    const gap = from && !/\s$/.test(value.slice(0, from)) ? " " : "";
    replace(from, to, `${gap}[${token}] `);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  // An id is cited once it can be no longer one. Typing on shows that it was none: the word comes back.
  function typed({ inputType = "" }) {
    // What is deleted or undone is not typed.
    if (/^(history|delete)/.test(inputType)) { taken = null; return; }
    const at = field.selectionStart, text = field.value.slice(0, at), was = taken;
    taken = null;
    if (was && at === was.at + 1 && /\w$/.test(text) && text.slice(0, -1).endsWith(was.token)) {
      return replace(at - 1 - was.token.length, at, was.word + text.at(-1));
    }
    const [, found, end] = /(?:^|[\s(])([A-Za-z]+\d+)([\s.,;:)]?)$/.exec(text) ?? /(\[[A-Za-z]\w*\])()$/.exec(text) ?? [];
    if (!found) return;
    const word = found.replace(/[[\]]/g, "").toLowerCase();
    const key = names.find((name) => name.toLowerCase() === word);
    if (!key || found === `[${key}]`) return;
    const isLonger = (name) => name.toLowerCase().startsWith(word) && name.toLowerCase() !== word;
    if (!end && !found.startsWith("[") && names.some(isLonger)) return;
    const token = `[${key}]`;
    replace(at - found.length - end.length, at, token + end);
    taken = end || found.startsWith("[") ? null : { token, word: found, at: field.selectionStart };
  }
  let putting = false;
  field.addEventListener("input", (event) => {
    if (putting) return;
    putting = true;
    try { typed(event); } finally { putting = false; }
  });

  return {
    cite,
    // With the text what it cites by: the buttons below it do not stay under Send.
    reveal() {
      for (const box of [all(".why-foot")[0], all(".chips")[0], field]) box.scrollIntoView({ block: "nearest" });
    },
    // The check that is cited last in the rationale.
    last: () => [...field.value.matchAll(/\[(\w+)\]/g)].map(([, key]) => key).findLast((key) => checks.includes(key)) ?? null,
    show() { for (const chip of chips) chip.classList.toggle("chip-on", field.value.includes(`[${chip.dataset.token}]`)); },
  };
})();
