// The passage that is selected in a response: by the mouse, or sentence by sentence with [ and ].
meeting.passage = (() => {
  const { passages } = labelPage;
  const { SIDES, root, read, toPoint, rangeOf, selected, blocks, sentences } = passages;
  const shown = (side) => root(side)?.checkVisibility() ?? false;
  const units = () => SIDES.filter(shown).flatMap((side) => {
    const reading = read(side);
    return blocks(side, reading).flatMap((block) => sentences(reading.text, block).map((unit) => ({ ...unit, side, reading })));
  });
  // Whatever the page's focus does meanwhile, the selection that a dialog was opened from counts.
  let kept = null;

  // With `more` the selection grows by a sentence, else it moves by one.
  function step(by, { more = false } = {}) {
    const all = units(), held = selected();
    if (!all.length) return;
    const own = held && !held.problem ? held : null;
    const covered = own ? all.flatMap((unit, n) => unit.side === own.side && unit.start < own.end && unit.end > own.start ? [n] : []) : [];
    let first = by > 0 ? (covered.at(-1) ?? -1) + 1 : (covered[0] ?? all.length) - 1;
    first = Math.max(0, Math.min(all.length - 1, first));
    let start = all[first].start, end = all[first].end;
    if (more && own && all[first].side === own.side) [start, end] = [Math.min(start, own.start), Math.max(end, own.end)];
    const range = rangeOf(all[first].side, start, end, all[first].reading);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    range.startContainer.parentElement.scrollIntoView({ block: "nearest" });
  }

  // As the server takes it: places in code points; null where nothing is selected, or why it is none.
  function taken() {
    const found = selected();
    if (!found || found.problem) return found;
    const { text } = read(found.side);
    const part = found.side === "text" ? "" : found.side;
    return { part, start: toPoint(text, found.start), end: toPoint(text, found.end), quote: found.quote };
  }

  return {
    step,
    keep() { kept = taken(); return kept; },
    get kept() { return kept; },
  };
})();
