// Places in the text of a response: counted as the server counts them (annotate/rendering/readable.py),
// found from a selection, shown as marks. Places on the wire are code points, here UTF-16 units.
labelPage.passages = (() => {
  const SIDES = labelPage.sides ?? ["Left", "Right"], SKIP = "svg, .vh, [data-extra]";
  const LAYOUT = "table, thead, tbody, tr, ol, ul, li, blockquote, .prose", PAIRS = /[\uD800-\uDBFF][\uDC00-\uDFFF]/g;
  const pane = (side) => document.getElementById(`text-${side}`);
  const root = (side) => pane(side)?.querySelector(":scope > .prose:not([data-view])") ?? null;

  // The readable text of a response and the nodes that it is made of.
  function read(side) {
    const nodes = [];
    let text = "";
    if (!root(side)) return { nodes, text };
    const isSeen = (node) => node.matches(SKIP) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP;
    const seen = { acceptNode: (node) => node.nodeType === 3 ? NodeFilter.FILTER_ACCEPT : isSeen(node) };
    const walker = document.createTreeWalker(root(side), NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, seen);
    while (walker.nextNode()) {
      nodes.push({ node: walker.currentNode, at: text.length });
      text += walker.currentNode.data;
    }
    return { nodes, text };
  }

  const toPoint = (text, unit) => unit - (text.slice(0, unit).match(PAIRS)?.length ?? 0);
  function toUnit(text, point) {
    let unit = 0;
    for (let n = 0; n < point && unit < text.length; n += 1) unit += text.codePointAt(unit) > 0xffff ? 2 : 1;
    return unit;
  }

  // The first node that starts at or after a place of the document, by halving.
  function unitAt({ nodes, text }, container, offset) {
    const own = nodes.find(({ node }) => node === container);
    if (own) return own.at + offset;
    const here = document.createRange();
    here.setStart(container, offset);
    let low = 0, high = nodes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (here.comparePoint(nodes[middle].node, 0) < 0) low = middle + 1; else high = middle;
    }
    return nodes[low]?.at ?? text.length;
  }

  function nodeAt({ nodes }, unit, atEnd) {
    let low = 0, high = nodes.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (atEnd ? nodes[middle].at < unit : nodes[middle].at <= unit) low = middle; else high = middle - 1;
    }
    return [nodes[low].node, Math.min(unit - nodes[low].at, nodes[low].node.length)];
  }

  function rangeOf(side, start, end, reading = read(side)) {
    const range = document.createRange();
    range.setStart(...nodeAt(reading, start, false));
    range.setEnd(...nodeAt(reading, end, true));
    return range;
  }

  // Without blanks at its ends and without half characters.
  function trimmed(text, start, end) {
    while (start < end && /\s/.test(text[start])) start += 1;
    while (end > start && /\s/.test(text[end - 1])) end -= 1;
    if (/[\uDC00-\uDFFF]/.test(text[start] ?? "")) start -= 1;
    if (/[\uD800-\uDBFF]/.test(text[end - 1] ?? "") && end < text.length) end += 1;
    return { start, end };
  }

  const found = (side, text, start, end) => ({ side, start, end, quote: text.slice(start, end) });

  // What is selected: a place in one response, or why it is none; null where nothing is.
  function selected() {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return null;
    const range = selection.getRangeAt(0);
    const touched = SIDES.filter((side) => root(side) && range.intersectsNode(root(side)) && root(side).checkVisibility());
    if (touched.length > 1) return { problem: "Select within one response: a passage belongs to one side." };
    if (!touched.length) return elsewhere(selection, range);
    const [side] = touched, reading = read(side);
    const inside = (node) => root(side).contains(node);
    const from = inside(range.startContainer) ? unitAt(reading, range.startContainer, range.startOffset) : 0;
    const to = inside(range.endContainer) ? unitAt(reading, range.endContainer, range.endOffset) : reading.text.length;
    const { start, end } = trimmed(reading.text, from, to);
    return start < end ? found(side, reading.text, start, end) : null;
  }

  // In another view of a response: the same words in its text, if they stand there once.
  function elsewhere(selection, range) {
    const side = SIDES.find((name) => pane(name)?.contains(range.startContainer));
    const words = selection.toString().trim().split(/\s+/).filter(Boolean);
    if (!side || !words.length) return null;
    const { text } = read(side);
    const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+");
    const hits = words.length > 400 ? [] : [...text.matchAll(new RegExp(pattern, "g"))];
    if (hits.length === 1) return found(side, text, hits[0].index, hits[0].index + hits[0][0].length);
    return { problem: "Evidence is taken from the text as it renders: go back to that view and select the passage there." };
  }

  // ---- Marks
  function clear(side) {
    for (const mark of root(side)?.querySelectorAll("mark.evidence") ?? []) {
      const parent = mark.parentNode;
      mark.replaceWith(...mark.childNodes);
      parent.normalize();
    }
  }

  // `spots`: { start, end, key, fails }. Where they overlap, one mark names all of them.
  function paint(side, spots) {
    clear(side);
    if (!spots.length) return;
    const cuts = [...new Set(spots.flatMap(({ start, end }) => [start, end]))].sort((a, b) => a - b);
    const begun = new Set();
    for (const { node, at } of read(side).nodes) {
      const stop = at + node.length;
      if (!node.length || stop <= cuts[0] || at >= cuts.at(-1)) continue;
      if (!node.data.trim() && node.parentElement.matches(LAYOUT)) continue;
      let rest = node, from = at;
      for (const to of [...cuts.filter((cut) => cut > at && cut < stop), stop]) {
        const next = to < stop ? rest.splitText(to - from) : null;
        const here = spots.filter((spot) => spot.start <= from && from < spot.end);
        if (here.length) wrap(rest, here, begun);
        [rest, from] = [next, to];
      }
    }
  }

  const names = (spots) => [...new Set(spots.map(({ key }) => key))].join(" ");
  function wrap(node, spots, begun) {
    const mark = document.createElement("mark"), starting = spots.filter((spot) => !begun.has(spot));
    mark.className = "evidence";
    mark.classList.toggle("is-fail", spots.some(({ fails }) => fails));
    mark.dataset.check = names(spots);
    if (starting.length) mark.dataset.starts = names(starting);
    mark.title = spots.length ? `Evidence for ${names(spots).replaceAll(" ", ", ")}` : "";
    for (const spot of spots) begun.add(spot);
    node.replaceWith(mark);
    mark.append(node);
  }

  // ---- What a keyboard picks: sentences, and the lines of code
  const BLOCKS = "p, li, td, th, h1, h2, h3, h4, h5, h6, pre, blockquote, dt, dd";
  const MOST = 600;
  const segmenter = "Segmenter" in Intl ? new Intl.Segmenter(undefined, { granularity: "sentence" }) : null;
  // The blocks of a response that have words; what is cut into sentences is only the one that is looked at.
  function blocks(side, { nodes, text } = read(side)) {
    const blocks = [];
    for (const { node, at } of nodes) {
      const box = node.parentElement.closest(BLOCKS) ?? root(side);
      if (blocks.at(-1)?.box === box) blocks.at(-1).end = at + node.length; else blocks.push({ box, start: at, end: at + node.length });
    }
    return blocks.filter(({ start, end }) => text.slice(start, end).trim());
  }
  function sentences(text, { box, start, end }) {
    const words = text.slice(start, end);
    const pieces = box.matches("pre") ? words.split(/(?<=\n)/) : segmenter ? [...segmenter.segment(words)].map(({ segment }) => segment) : [words];
    let at = start;
    return pieces.flatMap((piece) => piece.length > MOST ? piece.match(new RegExp(`[^]{1,${MOST}}`, "g")) : piece)
      .map((piece) => trimmed(text, at, at += piece.length)).filter((unit) => unit.start < unit.end);
  }

  return { SIDES, pane, root, read, toPoint, toUnit, rangeOf, selected, paint, blocks, sentences };
})();
