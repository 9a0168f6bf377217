// The fields of a ballot as values: read, put back, compared, and told in words; and the strip over
// the bar in which the page tells what happened to them, which moves nothing and takes no focus.
(() => {
  const { form } = labelPage, { make, button } = labelPage.dom;
  // Fields of the form that are no answers.
  const OWN = new Set(["csrfmiddlewaretoken", "submit_key", "action", "known_revision", "active_s", "skip_reason", "keys"]);
  const controls = () => [...form.elements].filter((one) => one.name && !OWN.has(one.name));

  // Answers to checks that a gate has switched off are kept, should the gate change; the preference is not.
  function now() {
    const data = new FormData(form);
    const off = labelPage.closed ? ":checked" : ".cell[disabled] :checked";
    for (const input of form.querySelectorAll(off)) data.set(input.name, input.value);
    return Object.fromEntries([...data].filter(([name, value]) => value !== "" && !OWN.has(name)));
  }
  function put(fields) {
    for (const one of controls()) {
      if (one.type === "radio") one.checked = fields[one.name] === one.value;
      else if (one.type === "checkbox") one.checked = one.name in fields;
      else one.value = fields[one.name] ?? "";
    }
  }
  // As a browser sends it: true is what a ticked box holds.
  const asSent = (value) => value === true ? "1" : typeof value === "string" ? value : JSON.stringify(value);
  const plain = (draft) => Object.fromEntries(Object.entries(draft).map(([name, value]) => [name, asSent(value)]));

  const parse = (text) => { try { return JSON.parse(text); } catch { return null; } };
  // Passages are the same where their places are: the copy in the browser has no words of them.
  const isList = (rows) => Array.isArray(rows) && rows.every((one) => one && typeof one === "object");
  const places = (rows) => JSON.stringify(rows.map((one) => Object.entries(one).filter(([name]) => name !== "quote").sort().map(String)));
  function same(name, a = "", b = "") {
    if (a === b || name !== "evidence") return a === b;
    const [x, y] = [parse(a), parse(b)];
    return isList(x) && isList(y) && places(x) === places(y);
  }
  function differing(a, b) {
    const names = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...names].filter((name) => name !== "all_pass" && !same(name, a[name], b[name]));
  }

  // The fields with the words of their passages, read anew from the panes that show them.
  function whole(values) {
    const rows = values.evidence ? parse(values.evidence) : null;
    if (!isList(rows) || !rows.some((one) => one.quote === "")) return values;
    const { read, toUnit } = labelPage.passages, texts = new Map();
    const wordsOf = ({ side, start, end }) => {
      if (!texts.has(side)) texts.set(side, read(side).text);
      return texts.get(side).slice(toUnit(texts.get(side), start), toUnit(texts.get(side), end));
    };
    return { ...values, evidence: JSON.stringify(rows.map((one) => ({ ...one, quote: one.quote || wordsOf(one) }))) };
  }

  // ---- In words
  // At the head of a line, and within a sentence.
  const NAMES = {
    preference: ["Preference", "the preference"],
    rationale: ["Rationale", "the rationale"],
    rewrite: ["Rewrite", "the rewrite"],
    evidence: ["Evidence", "the passage"],
    nothing_says_it: ["Nothing in the rubric says it", "nothing in the rubric says it"],
  };
  function nameOf(name, { within = false } = {}) {
    const [kind, key, side] = name.split(":");
    if (kind === "label") return side ? `${key} ${side}` : key;
    return kind === "unclear" ? `${key} unclear` : NAMES[name]?.[Number(within)] ?? name;
  }
  function wordOf(radio) {
    const label = radio.closest("label"), word = label.querySelector(".opt-word");
    return word?.textContent ?? [...label.querySelectorAll("b, span:not(.opt-key)")].map((one) => one.textContent).join(" ");
  }
  function shortened(value) {
    return value.length > 60 ? `“${value.slice(0, 40)}…”, ${value.length.toLocaleString("en")} characters` : `“${value}”`;
  }
  function wordsOf(name, value) {
    if (!value) return "nothing";
    const control = controls().find((one) => one.name === name && one.value === value);
    if (control?.type === "radio") return wordOf(control);
    if (control?.type === "checkbox") return "ticked";
    if (name === "evidence") return `${parse(value)?.length ?? 1} passage(s)`;
    return shortened(value);
  }
  function inWords(mine, theirs) {
    return differing(mine, theirs).map((name) => `${nameOf(name)}: ${wordsOf(name, mine[name])} here, ${wordsOf(name, theirs[name])} there`);
  }

  // ---- The strip
  const strip = document.getElementById("told"), says = document.getElementById("told-says");
  let told = null;
  function hide(kind) {
    if (kind && kind !== told) return;
    // The focus goes back to the work, not to the top of the page.
    const held = strip.contains(document.activeElement);
    strip.hidden = true;
    says.textContent = "";
    told = null;
    if (held) form.querySelector(".crit.now input, #last")?.focus({ preventScroll: true });
  }
  // `choices`: [words, act]; the first is the one to take. `lines` stand folded under “What differs”.
  function show(kind, words, choices = [], lines = []) {
    told = kind;
    const text = make("p", words);
    const buttons = choices.map(([name, act], at) => {
      return button(name, () => { hide(kind); act(); }, { class: `btn btn-small${at ? "" : " btn-primary"}` });
    });
    strip.replaceChildren(text, ...buttons);
    if (lines.length) {
      const list = make("ul", lines.map((line) => make("li", line)));
      text.after(make("details", [make("summary", "What differs", { class: "btn btn-small btn-quiet" }), list]));
    }
    strip.dataset.kind = kind;
    strip.hidden = false;
    says.textContent = words;
  }
  // Its own buttons are pressed with its own keys, and none of the page's acts meanwhile.
  strip.addEventListener("keydown", (event) => event.stopPropagation());

  labelPage.fields = { now, put, plain, differing, whole, inWords, nameOf };
  labelPage.told = { show, hide, get kind() { return told; } };
})();
