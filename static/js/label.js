// The label page by keyboard. Without it every control still works as a plain form.
(() => {
  const { form, closed, on, say } = labelPage;
  const $ = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = form) => [...within.querySelectorAll(selector)];
  const rows = all(".crit"), steps = all(".step"), last = $("#last"), stops = all(".stop input"), tokens = all("[data-token]");
  const rationale = $("#rationale"), panel = $("#anchor-panel"), keys = $("#keys"), skip = $("#skip"), undo = $("#undo"), preference = $("#preference");
  const rewrite = $("#rewrite"), rewriteBox = $("#rewrite-box"), whichText = $(".which-text"), asked = $(".asked");
  const NOT_TYPED = "[type=radio], [type=checkbox], [type=hidden]";
  const isTyping = (target) => target.matches("textarea, select") || target.matches(`input:not(${NOT_TYPED})`);
  let current, arrowing = false;

  // ---- What is answered
  const cells = (row) => all(".cell", row);
  const measure = (cell) => $(".measure", cell);
  const valueOf = (cell) => $("input[type=radio]:checked", cell)?.value ?? measure(cell)?.value ?? "";
  const isOpen = (cell) => !cell.disabled && !valueOf(cell);
  const openCell = (row) => cells(row).find(isOpen);
  const nextOpen = (row) => {
    const at = rows.indexOf(row);
    return [...rows.slice(at + 1), ...rows.slice(0, at + 1)].find(openCell) ?? null;
  };
  const ofKind = (kind) => rows.filter((row) => row.dataset.kind === kind);

  function gates() {
    const own = ofKind("gate"), failing = new Set(), names = new Set();
    let open = false;
    for (const row of own) for (const cell of cells(row)) {
      if (!valueOf(cell)) open = true;
      if (valueOf(cell) === "fail") { failing.add(cell.dataset.side); names.add(row.dataset.key); }
    }
    const state = open ? "open" : !failing.size ? "passed" : failing.size > 1 ? "both_fail" : failing.has("Left") ? "right_wins" : "left_wins";
    return { state, names: [...names], decides: !open && failing.size > 0 };
  }

  function sentence({ state, names }) {
    const verb = state.endsWith("wins") ? (names.length === 1 ? " fails" : " fail") : "";
    return form.getAttribute(`data-says-${state}`).replace("{gates}", names.join(", ") + verb);
  }

  // ---- What the page shows of it: nothing changes its place or its size
  function refresh() {
    const gate = gates(), says = $("#gate-says");
    if (says && says.dataset.state !== gate.state || says && gate.decides) {
      const words = sentence(gate);
      const isNew = says.dataset.state !== gate.state;
      if (says.textContent !== words) says.textContent = words;
      says.dataset.state = gate.state;
      // On a phone the line is not in the dock.
      if (isNew && gate.decides && !says.offsetParent) say(words);
    }
    if (preference) preference.disabled = gate.state !== "passed";
    for (const note of all("[data-after], [data-decided]")) note.hidden = !gate.decides || note.matches("[data-decided]") && gate.state === "both_fail";
    offerRewrite(gate);
    for (const row of ofKind("criterion")) {
      row.classList.toggle("after", gate.decides);
      for (const cell of cells(row)) cell.disabled = gate.decides && !form.hasAttribute("data-ask-after-gate");
    }
    for (const step of steps) count(step, gate);
    for (const row of rows) {
      const values = cells(row).map(valueOf);
      const chip = tokens.find((button) => button.dataset.token === row.dataset.key);
      $(".differs", chip).hidden = !(values.length > 1 && values[0] && values[1] && values[0] !== values[1]);
      const link = $(`.ledger a[href="#${row.id}"]`, form);
      link.classList.toggle("is-done", !openCell(row));
      link.classList.toggle("is-unclear", $(".unclear input", row).checked);
    }
    for (const chip of tokens) chip.classList.toggle("chip-on", rationale.value.includes(`[${chip.dataset.token}]`));
  }

  // Where both fail there is no preference: the place is free for what the answer should have been.
  function offerRewrite({ state }) {
    const first = rationale.value && !rewrite.value ? "rationale" : "rewrite";
    showText(state === "both_fail" && (whichText.dataset.shown || first));
  }
  function showText(which) {
    whichText.hidden = !which;
    whichText.dataset.shown = which || "";
    rewriteBox.hidden = which !== "rewrite";
    asked.classList.toggle("is-covered", which === "rewrite");
    for (const button of all("button", whichText)) button.setAttribute("aria-pressed", String(button.dataset.text === which));
  }
  function write(which) {
    if (whichText.hidden && which === "rewrite") return say("Only where both responses fail a gate.");
    if (current) go(null, { focus: false });
    if (!whichText.hidden) showText(which);
    (which === "rewrite" ? rewrite : rationale).focus();
  }

  function count(step, gate) {
    const own = all(".cell", step);
    if (!own.length) return step.classList.toggle("is-done", gate.decides || stops.some((stop) => stop.checked));
    const answered = own.filter(valueOf).length;
    $(".count", step).textContent = `${answered} of ${own.length}`;
    step.classList.toggle("is-done", answered === own.length);
    const unclear = all(".crit", step).filter((row) => $(".unclear input", row).checked).map((row) => row.dataset.key);
    $(".step-unclear", step).textContent = unclear.length ? `${unclear.join(", ")} unclear` : "";
    const rest = $("[value=all_pass]", step);
    if (rest) rest.disabled = answered === own.length;
  }

  // ---- The current row; null is the last step
  function go(row, { focus = true } = {}) {
    current = row;
    for (const other of rows) {
      other.classList.toggle("now", other === row);
      if (other === row) other.setAttribute("aria-current", "step"); else other.removeAttribute("aria-current");
    }
    const here = row ? row.closest(".step") : last;
    for (const step of steps) step.classList.toggle("is-here", step === here);
    form.classList.toggle("at-last", !row);
    for (const link of all(".ledger a")) {
      if (link.hash === `#${(row ?? last).id}`) link.setAttribute("aria-current", "step"); else link.removeAttribute("aria-current");
    }
    if (!panel.hidden) { if (row) anchors(row); else closeAnchors(); }
    if (focus) focusOn(row);
    row?.scrollIntoView({ block: "nearest" });
  }

  function focusOn(row) {
    const cell = row && (openCell(row) ?? cells(row)[0]);
    const target = row
      ? measure(cell) ?? $("input:checked", cell) ?? $("input", cell)
      : stops.some((stop) => stop.checked && !preference.disabled) ? rationale : preference && !preference.disabled ? stops[0] : last;
    target.focus({ preventScroll: true });
  }

  // ---- Changes, and the way back
  const state = () => new Map(all("input:not([name=csrfmiddlewaretoken], [name=submit_key]), textarea:not(#skip_reason)").filter((field) => field.name).map((field) => [field, field.matches("[type=radio], [type=checkbox]") ? field.checked : field.value]));
  const history = [];
  let before = state();
  const record = () => {
    history.push([before, current]);
    before = state();
    undo.disabled = false;
    refresh();
    form.dispatchEvent(new Event("answered"));
  };
  function undoLast() {
    const [fields, row] = history.pop() ?? [];
    if (!fields) return;
    const gone = named([...fields].filter(([field, value]) => value !== (field.matches("[type=radio], [type=checkbox]") ? field.checked : field.value)).map(([field]) => field));
    for (const [field, value] of fields) field[field.matches("[type=radio], [type=checkbox]") ? "checked" : "value"] = value;
    before = state();
    undo.disabled = !history.length;
    refresh();
    go(row);
    form.dispatchEvent(new Event("answered"));
    say(`Undone: ${gone}.`);
  }
  // What changed, in the words of the page: “G1 Left”, “the preference”, or how many answers.
  const NAMES = { preference: "the preference", rationale: "the rationale", rewrite: "the rewrite", nothing_says_it: "nothing in the rubric says it", evidence: "the passage" };
  function named(fields) {
    const found = new Set(fields.filter((field) => field.name !== "all_pass").map(({ name }) => {
      const [kind, key, side] = name.split(":");
      return NAMES[kind] ?? (kind === "unclear" ? `${key} unclear` : `${key} ${side}`.trim());
    }));
    return found.size > 2 ? `${found.size} answers` : [...found].join(", ") || "the last change";
  }

  const onward = (row) => go(openCell(row) ? row : nextOpen(row));
  function choose(input, then = input?.closest(".crit") ? onward : () => go(null)) {
    if (!input || input.disabled || input.closest("fieldset").disabled) return;
    const was = input.checked, row = input.closest(".crit");
    input.checked = true;
    if (measure(input.closest(".cell") ?? form)) measure(input.closest(".cell")).value = "";
    const evidence = input.dataset.mark === "fail" && labelPage.evidenceFor(row.dataset.key, input.closest(".cell").dataset.side);
    if (!was || evidence) record();
    then(row);
  }
  const mark = (side, name) => {
    if (!current) return;
    const cell = cells(current).find((one) => one.dataset.side === side || !one.dataset.side);
    if (!cell.classList.contains("cell-scale") || name === "na") choose($(`[data-mark=${name}]`, cell));
  };
  // With one hand a key has no side: Left first, then Right. In an answered row it is the cell that
  // has the focus, and the row is left after Right alone.
  function markNext(name) {
    if (!current) return;
    const own = cells(current), open = openCell(current);
    const selected = name === "fail" && labelPage.passages.selected()?.side;
    const cell = own.find((one) => selected && one.dataset.side === selected) ?? open ?? own.find((one) => one.contains(document.activeElement)) ?? own[0];
    if (cell.classList.contains("cell-scale") && name !== "na") return;
    const next = open ? null : own[own.indexOf(cell) + 1];
    choose($(`[data-mark=${name}]`, cell), next ? () => ($("input:checked", next) ?? $("input", next)).focus({ preventScroll: true }) : onward);
  }
  // The n-th of the row of digits, counted from the side where the set begins; a number pad counts from 1.
  function place(event, count) {
    if (event.location === 3) return Number(event.key) - 1;
    const { digits } = form.dataset, at = digits.indexOf(event.key);
    return form.hasAttribute("data-digits-end") ? at - digits.length + count : at;
  }
  const digit = (event) => {
    const scale = current && (openCell(current) ?? $(".cell-scale", current));
    const values = scale?.classList.contains("cell-scale") && !measure(scale) ? all("input[type=radio]:not([data-mark])", scale) : stops;
    choose(values[place(event, values.length)]);
  };
  function restPass() {
    const open = ofKind("gate").flatMap(cells).filter(isOpen);
    if (!open.length) return;
    for (const cell of open) $("[data-mark=pass]", cell).checked = true;
    form.elements.all_pass.value = "1";
    record();
    go(rows.find(openCell) ?? null);
    say(`${open.length} gate answer${open.length === 1 ? "" : "s"} set to pass. Undo: ${undo.querySelector("kbd").textContent}`);
  }
  const toggle = (box, words) => {
    if (!box || box.disabled) return;
    box.checked = !box.checked;
    record();
    say(box.checked ? `Marked: ${words}.` : `No longer marked: ${words}.`);
  };

  // ---- Anchors over the idle third step
  function anchors(row) {
    const head = document.createElement("header"), title = document.createElement("h3"), close = document.createElement("button");
    title.textContent = $("summary", row).textContent.trim();
    close.type = "button";
    close.className = "btn btn-quiet btn-small";
    close.append("Close ", Object.assign(document.createElement("kbd"), { textContent: "A" }));
    close.addEventListener("click", closeAnchors);
    head.append(title, close);
    panel.replaceChildren(head, $(".anchors", row).cloneNode(true));
    panel.dataset.row = row.id;
    panel.setAttribute("aria-label", `Anchors of ${row.dataset.key}`);
    panel.hidden = false;
  }
  function closeAnchors() {
    if (panel.hidden) return;
    const held = panel.contains(document.activeElement);
    panel.hidden = true;
    if (held) focusOn(current);
  }
  const toggleAnchors = (row) => {
    if (!panel.hidden && panel.dataset.row === row.id) closeAnchors(); else anchors(row);
  };

  // ---- Citations: tokens in the text, put in by chips or by typing c4
  function replace(from, to, words) {
    rationale.focus();
    rationale.setSelectionRange(from, to);
    // The one way that keeps the browser's own undo; where it is gone, the text still changes.
    if (!document.execCommand("insertText", false, words)) rationale.setRangeText(words, from, to, "end");
  }
  function cite(token) {
    const { selectionStart: from, selectionEnd: to, value } = rationale;
    const gap = from && !/\s$/.test(value.slice(0, from)) ? " " : "";
    replace(from, to, `${gap}[${token}] `);
    rationale.dispatchEvent(new Event("input", { bubbles: true }));
  }
  const names = tokens.map((button) => button.dataset.token);
  function typed() {
    const at = rationale.selectionStart, text = rationale.value.slice(0, at);
    const [, found, end] = /(?:^|[\s(])([A-Za-z]+\d+)([\s.,;:)]?)$/.exec(text) ?? /(\[[A-Za-z]\w*\])()$/.exec(text) ?? [];
    if (!found) return;
    const word = found.replace(/[[\]]/g, "").toLowerCase();
    const key = names.find((name) => name.toLowerCase() === word);
    const longer = names.some((name) => name.toLowerCase().startsWith(word) && name.toLowerCase() !== word);
    if (key && found !== `[${key}]` && (end || found.startsWith("[") || !longer)) replace(at - found.length - end.length, at, `[${key}]${end}`);
  }

  // ---- Sending
  function missing() {
    const row = rows.find(openCell);
    if (row) { go(row); say(`${row.dataset.key} is not answered.`); return true; }
    if (preference && !preference.disabled && !stops.some((stop) => stop.checked)) { go(null); say("Choose a preference; a tie is one of them."); return true; }
    return false;
  }
  form.addEventListener("submit", (event) => {
    const action = event.submitter?.value ?? "submit";
    // All that a closed round still takes is another set of keys.
    if (closed) return;
    event.preventDefault();
    if (action === "all_pass") restPass();
    else if (action.startsWith("insert:")) cite(action.slice("insert:".length));
    else if (action === "save") form.flush();
    // label-draft.js sends, keeps what cannot be sent yet, and leaves the page once it has arrived.
    else if (["skip", "keys"].includes(action) || !missing()) form.deliver(action);
  });
  const send = () => form.requestSubmit($("#send"));

  // ---- Keys: none acts while something is typed or a dialog is open
  const scroll = (side, way) => { const text = $(`#text-${side}`); text.scrollBy({ top: way * text.clientHeight * 0.6 }); };
  const step = (way) => {
    const at = current ? rows.indexOf(current) : rows.length;
    go(rows[Math.max(0, at + way)] ?? null);
  };
  const READS = { whileClosed: true }, SCROLLS = { whileClosed: true, repeat: true };
  on("prompt", () => { $("#prompt").open = !$("#prompt").open; }, READS);
  on("left_up", () => scroll("Left", -1), SCROLLS);
  on("left_down", () => scroll("Left", 1), SCROLLS);
  on("right_up", () => scroll("Right", -1), SCROLLS);
  on("right_down", () => scroll("Right", 1), SCROLLS);
  on("keys", () => keys.showModal(), READS);
  on("anchors", () => { const row = current ?? rows.at(-1); if (row) toggleAnchors(row); }, READS);
  for (const side of ["Left", "Right"]) for (const name of ["pass", "fail", "na"]) on(`${side.toLowerCase()}_${name}`, () => mark(side, name));
  for (const name of ["pass", "fail", "na"]) on(name, () => markNext(name));
  on("gates_pass", restPass);
  on("send", () => send());
  on("undo", undoLast);
  on("unclear", () => { if (current) toggle($(".unclear input", current), `${current.dataset.key} is unclear`); });
  on("skip", () => { if (skip) { skip.open = true; $("#skip_reason").focus(); } });
  on("rationale", () => write("rationale"));
  on("rewrite", () => write("rewrite"));
  for (const button of all("button", whichText)) button.addEventListener("click", () => write(button.dataset.text));
  // A link is left as a link is: what is entered goes along.
  for (const [action, id] of [["previous", "#previous"], ["next", "#following"]]) on(action, () => { const link = $(id); if (link) link.click(); else say(action === "previous" ? "No pair has been sent yet." : "Nothing has been sent after this pair."); }, READS);
  on("nothing", () => toggle($("#nothing_says_it"), "nothing in the rubric says it"));
  function escape(target) {
    if (skip?.open) { skip.open = false; $("summary", skip).focus(); } else if (!panel.hidden) closeAnchors();
    else if (target === rationale || target === rewrite) last.focus();
    else if (isTyping(target)) target.blur();
  }
  function enter(event) {
    const { target } = event;
    if (closed || target.matches("button, a, summary") && !(event.ctrlKey || event.metaKey)) return;
    if (target.id === "skip_reason") { event.preventDefault(); $("[value=skip]", skip).click(); return; }
    if ((target === rationale || target === rewrite) && !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (target.matches(".measure") && target.value) { target.blur(); onward(target.closest(".crit")); } else send();
  }
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    arrowing = key.startsWith("Arrow");
    if (keys.open || event.isComposing) return;
    if (key === "Escape") return escape(target);
    if (key === "Enter") return enter(event);
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(target)) return;
    if ((key === "ArrowUp" || key === "ArrowDown") && !closed && !target.closest(".resp-text, .file-body, .scale, .pop")) { event.preventDefault(); return step(key === "ArrowUp" ? -1 : 1); }
    const act = labelPage.actOf(event) ?? (!closed && !event.repeat && form.dataset.digits.includes(key) ? () => digit(event) : null);
    if (!act) return;
    event.preventDefault();
    act();
  });

  // ---- The mouse, the finger, the screen reader
  form.addEventListener("change", ({ target }) => {
    if (target.id === "skip_reason") return;
    const row = target.closest(".crit"), cell = target.closest(".cell");
    if (target.matches("[type=radio]") && cell && measure(cell)) measure(cell).value = "";
    if (target.matches(".measure")) for (const radio of all("[type=radio]", cell)) radio.checked = false;
    record();
    // Arrow keys pass through answers on their way: only a chosen one moves the focus on.
    if (row && cell && !arrowing && !target.matches(".measure")) onward(row);
  });
  rationale.addEventListener("input", () => { typed(); refresh(); });
  form.addEventListener("focusin", ({ target }) => {
    const row = target.closest(".crit");
    if (row && row !== current) go(row, { focus: false });
    else if (!row && current && target.matches("#rationale, #rewrite, .stop input")) go(null, { focus: false });
  });
  for (const row of rows) $("summary", row).addEventListener("click", (event) => {
    event.preventDefault();
    if (row !== current) go(row, { focus: false });
    toggleAnchors(row);
    if (!panel.hidden) panel.focus({ preventScroll: true });
  });
  for (const link of all(".ledger a")) link.addEventListener("click", (event) => { event.preventDefault(); go(rows.find((row) => `#${row.id}` === link.hash) ?? null); });
  for (const link of all("#errors a")) link.addEventListener("click", () => go(rows.find((row) => $(link.hash, row)) ?? null));

  // ---- Start
  $("#keys-button").addEventListener("click", (event) => { event.preventDefault(); keys.showModal(); });
  $("#keys-close").addEventListener("click", (event) => { event.preventDefault(); keys.close(); });
  form.dataset.ready = "";
  if (closed) return offerRewrite(gates());
  undo.addEventListener("click", undoLast);
  refresh();
  before = state();
  go(rows.find(openCell) ?? null, { focus: false });
  if ($("#errors")) { $("#errors").focus(); if (!rows.some(openCell)) go(null, { focus: false }); }
})();
