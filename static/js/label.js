// The label page by keyboard. Without it every control still works as a plain form.
(() => {
  const { form, closed, on, say } = labelPage;
  const $ = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = form) => [...within.querySelectorAll(selector)];
  const rows = all(".crit"), steps = all(".step"), last = $("#last"), stops = all(".stop input"), tokens = all("[data-token]");
  const rationale = $("#rationale"), panel = $("#anchor-panel"), keys = $("#keys"), skip = $("#skip"), undo = $("#undo"), preference = $("#preference");
  const NOT_TYPED = "[type=radio], [type=checkbox], [type=hidden]";
  const isTyping = (target) => target.matches("textarea, select") || target.matches(`input:not(${NOT_TYPED})`);
  let current, arrowing = false, sending = false;

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
      if (says.textContent !== words) says.textContent = words;
      says.dataset.state = gate.state;
    }
    if (preference) preference.disabled = gate.state !== "passed";
    for (const note of all("[data-after], [data-decided]")) note.hidden = !gate.decides;
    for (const row of ofKind("criterion")) {
      row.classList.toggle("after", gate.decides);
      for (const cell of cells(row)) cell.disabled = gate.decides && !form.hasAttribute("data-ask-after-gate");
    }
    for (const step of steps) count(step, gate);
    for (const row of rows) {
      const values = cells(row).map(valueOf);
      const chip = tokens.find((button) => button.dataset.token === row.dataset.key);
      $(".differs", chip).hidden = !(values.length > 1 && values[0] && values[1] && values[0] !== values[1]);
      $(`.ledger a[href="#${row.id}"]`, form)?.classList.toggle("is-done", !openCell(row));
    }
    for (const chip of tokens) chip.classList.toggle("chip-on", rationale.value.includes(`[${chip.dataset.token}]`));
  }

  function count(step, gate) {
    const own = all(".cell", step);
    if (!own.length) return step.classList.toggle("is-done", gate.decides || stops.some((stop) => stop.checked));
    const answered = own.filter(valueOf).length;
    $(".count", step).textContent = `${answered} of ${own.length}`;
    step.classList.toggle("is-done", answered === own.length);
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
    for (const [field, value] of fields) field[field.matches("[type=radio], [type=checkbox]") ? "checked" : "value"] = value;
    before = state();
    undo.disabled = !history.length;
    refresh();
    go(row);
    form.dispatchEvent(new Event("answered"));
    say("Undone.");
  }

  const onward = (row) => go(openCell(row) ? row : nextOpen(row));
  function choose(input) {
    if (!input || input.disabled || input.closest("fieldset").disabled) return;
    const was = input.checked, row = input.closest(".crit");
    input.checked = true;
    if (measure(input.closest(".cell") ?? form)) measure(input.closest(".cell")).value = "";
    if (!was) record();
    if (row) onward(row); else go(null);
  }
  const mark = (side, name) => {
    if (!current) return;
    const cell = cells(current).find((one) => one.dataset.side === side || !one.dataset.side);
    if (!cell.classList.contains("cell-scale") || name === "na") choose($(`[data-mark=${name}]`, cell));
  };
  const digit = (n) => {
    const scale = current && (openCell(current) ?? $(".cell-scale", current));
    if (scale?.classList.contains("cell-scale") && !measure(scale)) choose(all("input[type=radio]", scale)[n - 1]);
    else choose(stops[n - 1]);
  };
  function restPass() {
    const open = ofKind("gate").flatMap(cells).filter(isOpen);
    if (!open.length) return;
    for (const cell of open) $("[data-mark=pass]", cell).checked = true;
    form.elements.all_pass.value = "1";
    record();
    go(rows.find(openCell) ?? null);
    say(`${open.length} gate answers set to pass.`);
  }
  const toggle = (box, words) => {
    if (!box || box.disabled) return;
    box.checked = !box.checked;
    record();
    say(`${words}: ${box.checked ? "yes" : "no"}.`);
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
  const MET = {
    "signed-out": "Not sent: you are signed out. Sign in again in another tab, then send; what you entered stays here.",
    failed: "Not sent: the server does not answer. What you entered stays here; try again.",
  };
  const warn = (words) => say(words, { seen: true });
  let warnings = 0;
  form.addEventListener("elsewhere", () => {
    warnings += 1;
    warn("This pair was changed in another tab since this page was opened, so nothing more is saved here. What you entered stays on this page: send or save it to let it count, or reload to see the other.");
  });
  async function leave(button) {
    const told = warnings, outcome = await form.flush();
    if (MET[outcome]) { sending = false; return warn(MET[outcome]); }
    // Whoever has only now been told decides first.
    if (warnings !== told) { sending = false; return; }
    sending = "go";
    form.requestSubmit(button);
  }
  form.addEventListener("submit", (event) => {
    const action = event.submitter?.value ?? "submit";
    if (sending === "go") return;
    event.preventDefault();
    if (sending) return;
    if (action === "all_pass") restPass();
    else if (action.startsWith("insert:")) cite(action.slice("insert:".length));
    else if (action === "save") form.flush();
    else if (action === "skip" || !missing()) { sending = "wait"; leave(event.submitter ?? $("#send")); }
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
  on("gates_pass", restPass);
  on("undo", undoLast);
  on("unclear", () => { if (current) toggle($(".unclear input", current), `${current.dataset.key} unclear`); });
  on("skip", () => { skip.open = true; $("#skip_reason").focus(); });
  on("rationale", () => { go(null, { focus: false }); rationale.focus(); });
  on("nothing", () => toggle($("#nothing_says_it"), "Nothing in the rubric says it"));
  function escape(target) {
    if (skip?.open) { skip.open = false; $("summary", skip).focus(); } else if (!panel.hidden) closeAnchors();
    else if (target === rationale) last.focus();
    else if (isTyping(target)) target.blur();
  }
  function enter(event) {
    const { target } = event;
    if (closed || target.matches("button, a, summary") && !(event.ctrlKey || event.metaKey)) return;
    if (target.id === "skip_reason") { event.preventDefault(); $("[value=skip]", skip).click(); return; }
    if (target === rationale && !(event.ctrlKey || event.metaKey)) return;
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
    const act = labelPage.actOf(event) ?? (!closed && !event.repeat && /^[1-9]$/.test(key) ? () => digit(Number(key)) : null);
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
    else if (!row && current && target.matches("#rationale, .stop input")) go(null, { focus: false });
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
  document.body.classList.add("is-live");
  const button = $("#keys-button");
  for (const part of [button, undo, $(".ledger"), ...all(".scroll-keys", document)]) if (part) part.hidden = false;
  button.addEventListener("click", () => keys.showModal());
  if (closed) return;
  undo.addEventListener("click", undoLast);
  refresh();
  before = state();
  go(rows.find(openCell) ?? null, { focus: false });
  if ($("#errors")) { $("#errors").focus(); if (!rows.some(openCell)) go(null, { focus: false }); }
})();
