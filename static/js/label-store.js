// The fields of a ballot as values: read, put back, compared, and told in words; and the strip over
// the bar in which the page tells what happened to them, which moves nothing and takes no focus.
(() => {
  const { form } = labelPage;
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
  // As a browser sends it: true is what a ticked box holds, and every line ends alike.
  const plain = (draft) => Object.fromEntries(Object.entries(draft).map(([name, value]) => [name, value === true ? "1" : typeof value === "string" ? value : JSON.stringify(value)]));

  const parse = (text) => { try { return JSON.parse(text); } catch { return null; } };
  const sorted = (list) => JSON.stringify(list.map((one) => Object.entries(one).filter(([name]) => name !== "quote").sort().map(String)));
  const same = (a = "", b = "") => {
    if (a === b) return true;
    const [x, y] = a.startsWith("[{") && b.startsWith("[{") ? [parse(a), parse(b)] : [];
    return Boolean(x && y) && sorted(x) === sorted(y);
  };
  const differing = (a, b) => [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => name !== "all_pass" && !same(a[name], b[name]));

  // The words of a passage, from the pane that shows it (they are not kept): formulas count as nothing.
  const texts = new Map();
  function textOf(side) {
    if (!texts.has(side)) {
      const prose = document.querySelector(`#text-${side === "Right" ? "Right" : "Left"} .prose`)?.cloneNode(true);
      for (const formula of prose?.querySelectorAll("svg") ?? []) formula.remove();
      texts.set(side, [...(prose?.textContent ?? "")]);
    }
    return texts.get(side);
  }
  const whole = (fields) => Object.fromEntries(Object.entries(fields).map(([name, value]) => {
    const list = value.startsWith("[{") ? parse(value) : null;
    if (!list?.some?.((one) => one.quote === "")) return [name, value];
    return [name, JSON.stringify(list.map((one) => ({ ...one, quote: one.quote || textOf(one.side).slice(one.start, one.end).join("") })))];
  }));

  // ---- In words
  const NAMES = { preference: "Preference", rationale: "Rationale", rewrite: "Rewrite", evidence: "Evidence", nothing_says_it: "Nothing in the rubric says it" };
  const nameOf = (name) => {
    const [kind, key, side] = name.split(":");
    if (kind === "label") return side ? `${key} ${side}` : key;
    return kind === "unclear" ? `${key} unclear` : NAMES[name] ?? name;
  };
  function wordsOf(name, value) {
    if (!value) return "nothing";
    const control = controls().find((one) => one.name === name && one.value === value);
    if (control?.type === "radio") return control.closest("label").querySelector(".opt-word")?.textContent ?? [...control.closest("label").querySelectorAll("b, span:not(.opt-key)")].map((one) => one.textContent).join(" ");
    if (control?.type === "checkbox") return "ticked";
    if (name === "evidence") return `${parse(value)?.length ?? 1} passage(s)`;
    return value.length > 60 ? `“${value.slice(0, 40)}…”, ${value.length.toLocaleString("en")} characters` : `“${value}”`;
  }
  const inWords = (mine, theirs) => differing(mine, theirs).map((name) => `${nameOf(name)}: ${wordsOf(name, mine[name])} here, ${wordsOf(name, theirs[name])} there`);

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
    const text = Object.assign(document.createElement("p"), { textContent: words });
    const buttons = choices.map(([name, act], at) => {
      const button = Object.assign(document.createElement("button"), { type: "button", className: `btn btn-small${at ? "" : " btn-primary"}`, textContent: name });
      button.addEventListener("click", () => { hide(kind); act(); });
      return button;
    });
    strip.replaceChildren(text, ...buttons);
    if (lines.length) {
      const more = document.createElement("details"), list = document.createElement("ul");
      more.append(Object.assign(document.createElement("summary"), { className: "btn btn-small btn-quiet", textContent: "What differs" }), list);
      list.append(...lines.map((line) => Object.assign(document.createElement("li"), { textContent: line })));
      text.after(more);
    }
    strip.dataset.kind = kind;
    strip.hidden = false;
    says.textContent = words;
  }
  // Its own buttons are pressed with its own keys, and none of the page's acts meanwhile.
  strip.addEventListener("keydown", (event) => event.stopPropagation());

  labelPage.fields = { now, put, plain, same, differing, whole, inWords };
  labelPage.told = { show, hide, get kind() { return told; } };
})();
