// Evidence: a passage selected in a response, attached to a check. The form's `evidence` field holds it.
(() => {
  const { form, closed, keyOf, on, say, passages } = labelPage;
  const { make, button, reveal } = labelPage.dom;
  const { SIDES, pane, root, read, toPoint, toUnit, rangeOf, selected, paint, blocks, sentences } = passages;
  const field = form.elements.evidence, SAID = 60;
  const MOST = Number(field.dataset.most), LONGEST = Number(field.dataset.longest);
  const box = document.getElementById("evidence"), list = document.getElementById("evidence-list");
  const rows = [...form.querySelectorAll(".crit")], keys = rows.map((row) => row.dataset.key);
  const cap = (action) => keyOf[action]?.replace("shift+", "⇧").replace(/[a-z]$/, (key) => key.toUpperCase()) ?? "";

  // ---- What is attached
  function attached() {
    try {
      const rows = JSON.parse(field.value || "[]");
      return Array.isArray(rows) ? rows.filter((one) => one && typeof one.quote === "string") : [];
    } catch {
      return [];
    }
  }
  const order = (one) => [SIDES.indexOf(one.side), one.start, one.end, keys.indexOf(one.check)];
  const byPlace = (a, b) => order(a).map((place, n) => place - order(b)[n]).find(Boolean) ?? 0;
  const same = (a, b) => a.check === b.check && a.side === b.side && a.start === b.start && a.end === b.end;
  const short = (quote) => { const line = quote.trim().split(/\s+/).join(" "); return line.length > SAID ? `${line.slice(0, SAID - 1).trimEnd()}…` : line; };
  const cellOf = (check, side) => rows.find((row) => row.dataset.key === check)?.querySelector(`.cell[data-side="${side}"], .cell[data-side=""]`);
  const fails = ({ check, side }) => Boolean(cellOf(check, side)?.querySelector("[data-mark=fail]:checked"));

  // Where a passage stands in the text; null where the text has other words there.
  function spotOf(one, text) {
    const start = toUnit(text, one.start), end = toUnit(text, one.end);
    return one.start < one.end && text.slice(start, end) === one.quote ? { start, end, key: one.check, fails: fails(one), one } : null;
  }

  // ---- What the page shows of it
  const shown = {}, texts = {};
  let look = "";
  function refresh() {
    const all = attached(), looks = `${field.value}${all.map(fails)}`;
    if (looks === look) return;
    look = looks;
    // Its nodes are cut anew.
    picking = null;
    for (const side of SIDES) {
      const own = all.filter((one) => one.side === side);
      const marks = JSON.stringify(own.map((one) => [one, fails(one)]));
      if (marks === (shown[side] ?? "[]")) continue;
      shown[side] = marks;
      texts[side] = read(side).text;
      paint(side, own.map((one) => spotOf(one, texts[side])).filter(Boolean));
    }
    emphasise();
    for (const row of rows) for (const cell of row.querySelectorAll(".cell")) {
      const badge = cell.querySelector(".evidence-count");
      if (!badge) continue;
      const count = all.filter((one) => one.check === row.dataset.key && (!cell.dataset.side || one.side === cell.dataset.side)).length;
      badge.lastChild.data = count;
      badge.hidden = !count;
    }
    tell(all);
  }

  const current = () => form.querySelector(".crit.now")?.dataset.key ?? null;
  function emphasise() {
    const now = current();
    for (const mark of document.querySelectorAll(".resp .prose mark.evidence")) {
      const names = (words = "") => Boolean(now) && words.split(" ").includes(now);
      mark.classList.toggle("is-now", names(mark.dataset.check));
      mark.classList.toggle("starts-now", names(mark.dataset.starts));
    }
  }

  const ofCheck = ({ check, side }) => `the evidence for ${check} in ${side}`;
  const remover = (one) => button("Remove", () => remove(one), { class: "btn btn-quiet btn-small remove", "aria-label": `Remove ${ofCheck(one)}` });
  function tell(all) {
    document.getElementById("evidence-total").textContent = all.length;
    const stale = all.filter((one) => !spotOf(one, texts[one.side] ?? ""));
    document.getElementById("evidence-none").hidden = all.length > 0 || Boolean(field.value);
    const problem = document.getElementById("evidence-error");
    if (problem && !stale.length && all.length <= MOST && (all.length || !field.value)) problem.classList.add("is-solved");
    const at = list.contains(document.activeElement) ? [...list.querySelectorAll(".remove")].indexOf(document.activeElement) : -1;
    list.replaceChildren(...all.map((one) => {
      const item = make("li", [
        button(one.check, () => jump(one), { class: "chip", "aria-label": `Show ${ofCheck(one)}` }), " ",
        make("span", one.side, { class: "quiet" }), " ",
        ...(closed ? [] : [remover(one)]), " ",
        make("q", short(one.quote)),
      ]);
      if (stale.includes(one)) {
        item.classList.add("is-stale");
        item.append(make("p", "It does not stand at its place in the text any more: remove it or select it again.", { class: "row-error" }));
      }
      return item;
    }));
    if (at >= 0) (list.querySelectorAll(".remove")[Math.min(at, all.length - 1)] ?? box.querySelector("summary")).focus();
  }

  // ---- Changes: a change of the field is a change of the form, with its undo and its draft
  const write = (all) => { field.value = all.length ? JSON.stringify(all.sort(byPlace)) : ""; };
  const changed = () => { field.dispatchEvent(new Event("change", { bubbles: true })); refresh(); };

  const passageOf = ({ side, start, end, quote }, check) => {
    const { text } = read(side);
    return { check, side, start: toPoint(text, start), end: toPoint(text, end), quote };
  };

  // Put into the field without a word to the form; whether it was.
  function put(place, check) {
    const one = passageOf(place, check), all = attached();
    if (all.some((other) => same(one, other))) return false;
    if (one.end - one.start > LONGEST) { say(`Select less: a passage has at most ${LONGEST.toLocaleString("en")} characters.`); return false; }
    if (all.length >= MOST) { say(`${MOST} passages are attached: remove one first.`); return false; }
    write([...all, one]);
    return true;
  }
  function attach(place, check) {
    if (!put(place, check)) return;
    changed();
    say(`Attached to ${check}, ${place.side}: “${short(place.quote)}”`);
  }
  function remove(one) {
    write(attached().filter((other) => !same(one, other)));
    changed();
    say(`Removed from ${one.check}: “${short(one.quote)}”`);
  }
  const standsAt = (place, check) => attached().find((other) => same(other, passageOf(place, check)));

  // A check that is failed with a passage selected on its side has that passage for evidence.
  labelPage.evidenceFor = (check, side) => {
    const place = closed ? null : selected();
    if (!place?.quote || side && place.side !== side) return false;
    const is = put(place, check);
    if (is) leave();
    return is;
  };

  // The check that a passage goes to: the current one, else the one cited last.
  const target = () => current() ?? labelPage.citations.last();

  on("evidence", () => {
    const place = selected();
    if (!place) return pick();
    if (place.problem) return say(place.problem, { seen: true });
    const check = target();
    if (!check) return say("Cite a check first: the passage goes to the one that is cited last.");
    const stands = standsAt(place, check);
    if (stands) remove(stands); else attach(place, check);
    leave();
  });

  // ---- The selection by keyboard: a sentence at a time, then as far as wanted
  let picking = null, cameFrom = null;
  function pick() {
    const now = form.querySelector(".crit.now .cell:not(:has(:checked)):not([disabled])");
    const focused = SIDES.find((name) => pane(name).contains(document.activeElement));
    const side = focused ?? (now?.dataset.side || "Left");
    const reading = read(side), found = root(side)?.checkVisibility() ? blocks(side, reading) : [];
    if (!found.length) return say(root(side) ? "Evidence is picked in the text as it renders: go back to that view." : "There is no text to pick from.");
    const { top } = pane(side).getBoundingClientRect();
    const isAbove = ({ start, end }) => rangeOf(side, start, end, reading).getBoundingClientRect().bottom <= top;
    let low = 0, high = found.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isAbove(found[middle])) low = middle + 1; else high = middle;
    }
    cameFrom = document.activeElement;
    const units = sentences(reading.text, found[low]);
    const isBelow = (unit) => rangeOf(side, unit.start, unit.end, reading).getBoundingClientRect().top >= top;
    picking = { side, reading, found, block: low, units, at: Math.max(0, units.findIndex(isBelow)) };
    pane(side).focus({ preventScroll: true });
    move(0);
    const check = target();
    const attaches = `${cap("evidence")} attaches${check ? ` to ${check}` : ""}`;
    say(`Picked in ${side}: “${short(chosenQuote())}” Arrows move, Shift and arrows extend, ${attaches}, Esc leaves.`);
  }
  const chosenQuote = () => { const { reading, units, at } = picking; return reading.text.slice(units[at].start, units[at].end); };
  function move(way) {
    const next = picking.found[picking.block + way];
    if (picking.units[picking.at + way]) picking.at += way;
    else if (way && next) {
      picking.block += way;
      picking.units = sentences(picking.reading.text, next);
      picking.at = way > 0 ? 0 : picking.units.length - 1;
    }
    const { side, reading, units, at } = picking, range = rangeOf(side, units[at].start, units[at].end, reading);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    reveal(pane(side), range);
    if (way) say(chosenQuote());
  }
  function otherSide() {
    const side = SIDES.find((name) => name !== picking.side);
    if (!root(side)?.checkVisibility()) return;
    pane(side).focus({ preventScroll: true });
    pick();
  }
  // After a passage has found its place: the words are no longer selected, the keys are back at the row.
  function leave() {
    const back = cameFrom;
    picking = cameFrom = null;
    getSelection().removeAllRanges();
    if (closed || form.contains(document.activeElement)) return hide();
    if (form.contains(back)) back.focus({ preventScroll: true }); else labelPage.focusBack();
    hide();
  }
  for (const side of SIDES) pane(side)?.addEventListener("keydown", (event) => {
    const { key } = event;
    if (key === "Escape" && !getSelection().isCollapsed) { event.stopPropagation(); leave(); return; }
    if (!picking || picking.side !== side || event.ctrlKey || event.metaKey || event.altKey) return;
    const way = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[key];
    if (way && !event.shiftKey) move(way);
    else if (way && event.shiftKey) getSelection().modify("extend", way > 0 ? "forward" : "backward", /Up|Down/.test(key) ? "line" : "word");
    else if (key === "Tab" && !event.shiftKey) otherSide();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  document.addEventListener("pointerdown", () => { picking = cameFrom = null; });

  // ---- From the list and the cells to the place in the text
  // The marks stand in the text as it renders: out of another view, back to it.
  function toRendered(side) {
    const pressed = (which) => document.querySelector(`[data-switch]${which}[aria-pressed=true]`);
    if (root(side).hidden) (pressed(`[data-side=${side}]`) ?? pressed(":not([data-side])"))?.click();
  }
  function jump(one) {
    const reading = read(one.side), spot = spotOf(one, reading.text);
    if (!spot) return say("This passage does not stand in the text any more.");
    toRendered(one.side);
    labelPage.quote?.(one.quote);
    reveal(pane(one.side), rangeOf(one.side, spot.start, spot.end, reading));
    const isWithin = (mark) => reading.nodes.some(({ node, at }) => mark.contains(node) && at >= spot.start && at < spot.end);
    for (const mark of root(one.side).querySelectorAll("mark.evidence")) {
      if (!mark.dataset.check.split(" ").includes(one.check) || !isWithin(mark)) continue;
      mark.classList.remove("is-shown");
      void mark.offsetWidth;
      mark.classList.add("is-shown");
    }
    say(`${one.check}, ${one.side}: “${short(one.quote)}”`);
  }
  let last = null;
  function jumpNext(found) {
    if (!found.length) return;
    last = found[(found.findIndex((one) => last && same(one, last)) + 1) % found.length];
    jump(last);
  }
  form.addEventListener("click", (event) => {
    const badge = event.target.closest(".evidence-count"), chip = event.target.closest("[data-token]");
    if (badge) {
      event.preventDefault();
      const check = badge.closest(".crit").dataset.key, { side } = badge.closest(".cell").dataset;
      jumpNext(attached().filter((one) => one.check === check && (!side || one.side === side)));
    } else if (chip) {
      const first = attached().find((one) => one.check === chip.dataset.token);
      if (first) jump(first);
    }
  });

  // ---- For the mouse and the finger: what can be done with the selection, beside it
  const bubble = make("div", [], { class: "evidence-bubble", role: "group", "aria-label": "Selected passage" });
  bubble.hidden = true;
  document.getElementById("main").append(bubble);
  bubble.addEventListener("pointerdown", (event) => { event.preventDefault(); event.stopPropagation(); });
  const hide = () => { bubble.hidden = true; };
  let onSelection = true;
  const key = (action) => cap(action) ? [" ", make("kbd", cap(action))] : [];
  const act = (words, does, attributes = {}) => button(words, () => { does(); leave(); }, { class: "btn btn-small", ...attributes });

  function choices(place) {
    const check = target(), now = current();
    if (!check) return [make("span", "Attach to", { class: "quiet" }), ...keys.map((name) => act(name, () => attach(place, name)))];
    if (standsAt(place, check)) return [act([`Remove from ${check}`, ...key("evidence")], () => remove(standsAt(place, check)))];
    const radio = now && cellOf(check, place.side)?.querySelector("[data-mark=fail]:not(:checked):not(:disabled)");
    const sided = keyOf[`${place.side.toLowerCase()}_fail`] ? `${place.side.toLowerCase()}_fail` : "fail";
    const failWith = () => { if (put(place, check)) { radio.click(); refresh(); } };
    const can = radio && !radio.closest("fieldset").disabled;
    const fail = can ? [act([`${check} fails`, ...key(sided)], failWith, { class: "btn btn-small btn-fail" })] : [];
    return [...fail, act([`Attach to ${check}`, ...key("evidence")], () => attach(place, check))];
  }
  function putBeside(rect, area) {
    bubble.hidden = false;
    const { width, height } = bubble.getBoundingClientRect(), gap = matchMedia("(pointer: coarse)").matches ? 32 : 8;
    const below = rect.bottom + gap, fits = below + height < Math.min(area.bottom, innerHeight);
    const top = fits ? below : rect.top - gap - height;
    bubble.style.top = `${Math.max(area.top, Math.min(top, area.bottom - height))}px`;
    bubble.style.left = `${Math.max(8, Math.min(rect.right - width, innerWidth - width - 8, Math.max(rect.left, area.left)))}px`;
  }
  function offer() {
    const place = closed ? null : selected();
    if (!place?.quote) return onSelection && hide();
    onSelection = true;
    bubble.replaceChildren(...choices(place));
    const rects = rangeOf(place.side, place.start, place.end).getClientRects();
    if (rects.length) putBeside(rects[rects.length - 1], pane(place.side).getBoundingClientRect());
  }
  let down = false, waiting = 0;
  const soon = (wait) => { clearTimeout(waiting); waiting = setTimeout(offer, wait); };
  document.addEventListener("pointerdown", (event) => { down = event.pointerType === "mouse"; });
  document.addEventListener("pointerup", () => { down = false; soon(0); });
  document.addEventListener("selectionchange", () => {
    if (getSelection().isCollapsed) { clearTimeout(waiting); if (onSelection) hide(); } else if (!down) soon(150);
  });
  for (const side of SIDES) {
    pane(side)?.addEventListener("scroll", () => {
      if (bubble.hidden) return;
      if (onSelection) offer(); else hide();
    }, { passive: true });
    // A mark that is clicked offers to be taken away.
    pane(side)?.addEventListener("click", (event) => {
      const mark = event.target.closest("mark.evidence");
      if (!mark || event.target.closest("a") || !getSelection().isCollapsed) return;
      const reading = read(side), at = reading.nodes.find(({ node }) => mark.contains(node))?.at;
      const here = attached().filter((one) => {
        const spot = one.side === side && spotOf(one, reading.text);
        return spot && spot.start <= at && at < spot.end;
      });
      if (!here.length || closed) return;
      onSelection = false;
      bubble.replaceChildren(...here.map((one) => act(`Remove from ${one.check}`, () => remove(one))));
      putBeside(mark.getClientRects()[0], pane(side).getBoundingClientRect());
    });
  }
  document.addEventListener("pointerdown", (event) => { if (!bubble.contains(event.target)) hide(); });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    hide();
    if (!box.open || !box.contains(event.target)) return;
    box.open = false;
    box.querySelector("summary").focus();
  });

  // ---- Start
  box.querySelector("[value='detach:all']")?.addEventListener("click", (event) => {
    event.preventDefault();
    event.target.hidden = true;
    write([]);
    changed();
  });
  for (const event of ["answered", "input", "change"]) form.addEventListener(event, () => refresh());
  new MutationObserver(emphasise).observe(form, { subtree: true, attributes: true, attributeFilter: ["aria-current"] });
  refresh();
})();
