// The label page by keyboard. Without it every control still works as a plain form.
(() => {
  const { form, closed, on, say, anchors, citations, undo } = labelPage;
  const { $, all } = labelPage.dom;
  const rows = all(".crit"), steps = all(".step"), last = $("#last"), stops = all(".stop input"), tokens = all("[data-token]");
  const rationale = $("#rationale"), rewrite = $("#rewrite"), rewriteBox = $("#rewrite-box"), whichText = $(".which-text"), asked = $(".asked");
  const keys = $("#keys"), skip = $("#skip"), undoButton = $("#undo"), preference = $("#preference");
  const NOT_TYPED = "[type=radio], [type=checkbox], [type=hidden]";
  const isTyping = (target) => target.matches("textarea, select") || target.matches(`input:not(${NOT_TYPED})`);
  // `current`: the row that is answered now; `came`: the last one that was.
  let current, came = null, arrowing = false;
  // Where the page is one long column, it begins with the texts.
  const FLOWS = matchMedia("(max-width: 63.99rem) and (max-height: 35.99rem)");

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
    const decided = failing.size > 1 ? "both_fail" : failing.has("Left") ? "right_wins" : "left_wins";
    const state = open ? "open" : failing.size ? decided : "passed";
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
    for (const note of all("[data-after]")) note.hidden = !gate.decides;
    for (const note of all("[data-decided]")) note.hidden = !gate.decides || gate.state === "both_fail";
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
    citations.show();
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
  function go(row, { focus = true, scroll = true } = {}) {
    current = row;
    came = row ?? came;
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
    if (anchors.isOpen) { if (row) anchors.show(row); else anchors.hide(); }
    if (focus) focusOn(row);
    if (scroll) row?.scrollIntoView({ block: "nearest" });
  }

  // Never onto a radio that is not chosen: Space, pressed to scroll, would answer with it. Tab and the
  // arrows lead to the radios.
  function focusOn(row) {
    const cell = row && (openCell(row) ?? cells(row)[0]), isAsked = preference && !preference.disabled;
    const atLast = isAsked ? (stops.some((stop) => stop.checked) ? rationale : preference) : last;
    const target = row ? measure(cell) ?? $("input:checked", cell) ?? cell : atLast;
    target.focus({ preventScroll: true });
  }
  labelPage.focusBack = () => focusOn(current);
  anchors.onLeft(labelPage.focusBack);

  // ---- Changes, and the way back
  function record() {
    if (!undo.step(current)) return refresh();
    undoButton.disabled = false;
    refresh();
    form.dispatchEvent(new Event("answered"));
  }
  function undoLast() {
    const gone = undo.back();
    if (!gone) return;
    undoButton.disabled = undo.isEmpty;
    refresh();
    go(gone.row);
    form.dispatchEvent(new Event("answered"));
    say(`Undone: ${gone.words}.`);
  }

  const onward = (row) => go(openCell(row) ? row : nextOpen(row));
  function choose(input, then = input?.closest(".crit") ? onward : () => go(null)) {
    if (!input || input.disabled || input.closest("fieldset").disabled) return;
    const was = input.checked, row = input.closest(".crit");
    input.checked = true;
    if (measure(input.closest(".cell") ?? form)) measure(input.closest(".cell")).value = "";
    const { side } = input.closest(".cell")?.dataset ?? {};
    const evidence = input.dataset.mark === "fail" && labelPage.evidenceFor(row.dataset.key, side);
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
    const focused = own.find((one) => one.contains(document.activeElement));
    const cell = own.find((one) => selected && one.dataset.side === selected) ?? open ?? focused ?? own[0];
    if (cell.classList.contains("cell-scale") && name !== "na") return;
    const next = open ? null : own[own.indexOf(cell) + 1];
    const toNext = () => ($("input:checked", next) ?? next).focus({ preventScroll: true });
    choose($(`[data-mark=${name}]`, cell), next ? toNext : onward);
  }
  // The n-th of the row of digits, counted from the side where the set begins; a number pad counts from 1.
  function place(event, count) {
    if (event.location === 3) return Number(event.key) - 1;
    const { digits } = form.dataset, at = digits.indexOf(event.key);
    return form.hasAttribute("data-digits-end") ? at - digits.length + count : at;
  }
  function digit(event) {
    const scale = current && (openCell(current) ?? $(".cell-scale", current));
    const isScale = scale?.classList.contains("cell-scale") && !measure(scale);
    // The preference is not given in passing, by a digit that was meant for a check.
    if (current && !isScale) return say(`${current.dataset.kind === "gate" ? "Gates" : "Criteria"} first: the preference comes after the last check.`);
    const values = isScale ? all("input[type=radio]:not([data-mark])", scale) : stops;
    choose(values[place(event, values.length)]);
  }
  function restPass() {
    const open = ofKind("gate").flatMap(cells).filter(isOpen);
    if (!open.length) return;
    for (const cell of open) $("[data-mark=pass]", cell).checked = true;
    form.elements.all_pass.value = "1";
    record();
    go(rows.find(openCell) ?? null);
    say(`${open.length} gate answer${open.length === 1 ? "" : "s"} set to pass. Undo: ${$("kbd", undoButton).textContent}`);
  }
  const toggle = (box, words) => {
    if (!box || box.disabled) return;
    box.checked = !box.checked;
    record();
    say(box.checked ? `Marked: ${words}.` : `No longer marked: ${words}.`);
  };

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
    else if (action.startsWith("insert:")) citations.cite(action.slice("insert:".length));
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
  // In the last step those of the check that is written about, else of the one that was answered last.
  on("anchors", () => {
    const row = current ?? rows.find((one) => one.dataset.key === citations.last()) ?? came ?? rows[0];
    if (row) anchors.toggle(row);
  }, READS);
  for (const name of ["pass", "fail", "na"]) {
    for (const side of ["Left", "Right"]) on(`${side.toLowerCase()}_${name}`, () => mark(side, name));
    on(name, () => markNext(name));
  }
  on("gates_pass", restPass);
  on("send", () => send());
  on("undo", undoLast);
  on("unclear", () => { if (current) toggle($(".unclear input", current), `${current.dataset.key} is unclear`); });
  on("skip", () => { if (skip) { skip.open = true; $("#skip_reason").focus(); } });
  on("rationale", () => write("rationale"));
  on("rewrite", () => write("rewrite"));
  for (const button of all("button", whichText)) button.addEventListener("click", () => write(button.dataset.text));
  // A link is left as a link is: what is entered goes along.
  const follow = (id, otherwise) => () => { const link = $(id); if (link) link.click(); else say(otherwise); };
  on("previous", follow("#previous", "No pair has been sent yet."), READS);
  on("next", follow("#following", "Nothing has been sent after this pair."), READS);
  on("nothing", () => toggle($("#nothing_says_it"), "nothing in the rubric says it"));
  function escape(target) {
    if (skip?.open) { skip.open = false; $("summary", skip).focus(); } else if (anchors.isOpen) anchors.hide();
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
  // A cell or the preference as a whole has the focus: arrows go in, Space scrolls what is judged.
  function inGroup({ key, shiftKey, target }) {
    const radios = all("input:not(:disabled)", target), way = shiftKey ? -1 : 1;
    if (key === "ArrowRight") radios[0]?.focus();
    else if (key === "ArrowLeft") radios.at(-1)?.focus();
    else if (key === " ") for (const side of [target.dataset.side || ["Left", "Right"]].flat()) scroll(side, way);
    return ["ArrowRight", "ArrowLeft", " "].includes(key);
  }
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    arrowing = key.startsWith("Arrow");
    if (keys.open || event.isComposing) return;
    if (key === "Escape") return escape(target);
    if (key === "Enter") return enter(event);
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(target)) return;
    const isUpDown = key === "ArrowUp" || key === "ArrowDown";
    if (isUpDown && !closed && !target.closest(".resp-text, .file-body, .pop") && !target.matches(".scale input")) {
      event.preventDefault();
      return step(key === "ArrowUp" ? -1 : 1);
    }
    if (target.matches(".cell, .scale") && inGroup(event)) return event.preventDefault();
    const isDigit = !closed && !event.repeat && !labelPage.lettersOff && form.dataset.digits.includes(key);
    const act = labelPage.actOf(event) ?? (isDigit ? () => digit(event) : null);
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
  rationale.addEventListener("input", refresh);
  form.addEventListener("focusin", ({ target }) => {
    const row = target.closest(".crit");
    if (target === rationale) citations.reveal();
    if (row && row !== current) go(row, { focus: false });
    else if (!row && current && target.matches("#rationale, #rewrite, .stop input")) go(null, { focus: false });
  });
  for (const row of rows) $("summary", row).addEventListener("click", (event) => {
    event.preventDefault();
    if (row !== current) go(row, { focus: false });
    anchors.toggle(row);
    if (anchors.isOpen) anchors.focus();
  });
  for (const link of all(".ledger a")) link.addEventListener("click", (event) => {
    event.preventDefault();
    go(rows.find((row) => `#${row.id}` === link.hash) ?? null);
  });
  for (const link of all("#errors a")) link.addEventListener("click", (event) => {
    event.preventDefault();
    const place = $(link.hash);
    go(rows.find((row) => row.contains(place)) ?? null, { focus: place?.matches(".cell") });
    if (!place?.matches(".cell")) place?.focus({ preventScroll: true });
    place?.scrollIntoView({ block: "nearest" });
  });
  // A press beside an open box closes it.
  document.addEventListener("pointerdown", ({ target }) => {
    for (const box of document.querySelectorAll(".pop[open]")) if (!box.contains(target)) box.open = false;
  });

  // The page of a refused answer: read from its errors, and what the first of them speaks of is in view.
  function showErrors() {
    if (!rows.some(openCell)) go(null, { focus: false });
    const [first] = all("#errors a");
    if (first) $(first.hash)?.scrollIntoView({ block: "nearest" });
    $("#errors").focus({ preventScroll: true });
  }

  // ---- Start
  // The address that the list of keys leaves behind points at the whole form.
  if (location.hash === "#ballot") history.replaceState(history.state, "", location.pathname + location.search);
  $("#keys-button").addEventListener("click", (event) => { event.preventDefault(); keys.showModal(); });
  const lettersOff = $("#letters-off");
  lettersOff.checked = labelPage.lettersOff;
  lettersOff.addEventListener("change", () => labelPage.setLettersOff(lettersOff.checked));
  $("#keys-close").addEventListener("click", (event) => { event.preventDefault(); keys.close(); });
  form.dataset.ready = "";
  if (closed) return offerRewrite(gates());
  undoButton.addEventListener("click", undoLast);
  refresh();
  undo.begin();
  go(rows.find(openCell) ?? null, { focus: false, scroll: !FLOWS.matches });
  if ($("#errors")) showErrors();
})();
