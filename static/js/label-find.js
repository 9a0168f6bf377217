// Words in the texts: find in both responses and the prompt, and where the prompt or its context
// says what is selected in a response. Marks are highlights of the browser; no text is touched.
(() => {
  const { on } = labelPage;
  const { $, reveal } = labelPage.dom;
  const finder = $("#finder"), field = $("#find"), counts = $("#find-counts"), prompt = $("#prompt"), file = $(".file-body");
  const PLACES = [["Left", $("#text-Left")], ["Right", $("#text-Right")], ["prompt", file]];
  const MOST_MARKED = 1000;
  const BLOCKS = new Set("P LI H2 H3 H4 H5 H6 PRE TD TH TR DIV BLOCKQUOTE UL OL TABLE SECTION SUMMARY DETAILS BR HR".split(" "));

  // ---- A text as one string, and back to its nodes
  function read(root) {
    const nodes = [], starts = [], parts = [];
    let length = 0;
    const put = (text) => { parts.push(text); length += text.length; };
    const isLeftOut = (node) => node.nodeType === Node.ELEMENT_NODE && (node.hidden || node.matches("svg, .vh"));
    const filter = (node) => isLeftOut(node) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, filter);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      // Nothing is found across the bounds of a block.
      if (node.nodeType === Node.ELEMENT_NODE) { if (BLOCKS.has(node.tagName)) put("\0"); continue; }
      nodes.push(node);
      starts.push(length);
      put(node.data);
    }
    return { text: parts.join(""), nodes, starts };
  }
  function locate({ nodes, starts }, at) {
    let low = 0, high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= at) low = middle; else high = middle - 1;
    }
    return [nodes[low], Math.min(at - starts[low], nodes[low].data.length)];
  }
  function rangeOf(text, [from, to]) {
    const range = document.createRange();
    range.setStart(...locate(text, from));
    const [node, offset] = locate(text, to - 1);
    range.setEnd(node, offset + 1);
    return range;
  }
  // Any blank is any blank; straight and curly quotes, hyphens and dashes are alike.
  const ALIKE = [[/['‘’]/g, "['‘’]"], [/["“”„]/g, "[\"“”„]"], [/[-‐‑–—]/g, "[-‐‑–—]"]];
  function pattern(words, { whole = false } = {}) {
    let source = words.trim().split(/\s+/).map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("\\s+");
    // Words are escaped before, so that only brackets of ours are read as such.
    for (const [sign, either] of ALIKE) source = source.replace(sign, either);
    return new RegExp(whole ? `(?<![\\p{L}\\p{N}])${source}(?![\\p{L}\\p{N}])` : source, "giu");
  }
  function hits(text, expression) {
    const found = [];
    for (const match of text.matchAll(expression)) found.push([match.index, match.index + match[0].length]);
    return found;
  }

  const marks = globalThis.Highlight && CSS.highlights;
  const mark = (name, ranges) => { if (!marks) return; if (ranges.length) marks.set(name, new Highlight(...ranges)); else marks.delete(name); };

  // ---- Folded passages of the prompt
  for (const button of document.querySelectorAll(".fold-open")) {
    const fold = button.previousElementSibling, words = button.textContent;
    const set = (folded) => {
      fold.classList.toggle("is-folded", folded);
      button.textContent = folded ? words : "Show less";
      button.setAttribute("aria-expanded", String(!folded));
    };
    button.hidden = false;
    set(true);
    button.addEventListener("click", () => {
      set(!fold.classList.contains("is-folded"));
      if (fold.classList.contains("is-folded")) fold.scrollTop = 0;
    });
    // The browser's own search scrolls to what is folded away: then it is wanted.
    fold.addEventListener("scroll", () => { if (fold.classList.contains("is-folded") && fold.scrollTop) { fold.scrollTop = 0; set(false); } });
    fold.addEventListener("unfold", () => set(false));
  }

  // A long context is laid out while nobody waits, not when it is opened: to ask for its place does it.
  if ($(".prose.is-long", file)) (window.requestIdleCallback ?? setTimeout)(() => $(".prose.is-long", file).lastElementChild?.getBoundingClientRect());

  // ---- Find
  let texts = [], found = [], here = -1, before = null;
  const isIn = (root, range) => {
    const place = range.getBoundingClientRect(), box = root.getBoundingClientRect();
    return place.height > 0 && place.top >= box.top && place.bottom <= box.bottom;
  };
  const rangeAt = (n) => rangeOf(texts[found[n][0]], found[n][1]);
  function search({ again = false } = {}) {
    const query = field.value.trim();
    here = -1;
    found = [];
    mark("found-here", []);
    if (!query) { mark("found", []); counts.textContent = ""; return; }
    if (!again || !texts.length) texts = PLACES.map(([, root]) => read(root));
    const expression = pattern(query), marked = [];
    const numbers = texts.map((text, place) => {
      const own = hits(text.text, expression);
      for (const hit of own) found.push([place, hit]);
      marked.push(...own.slice(0, MOST_MARKED).map((hit) => rangeOf(text, hit)));
      return own.length;
    });
    mark("found", marked);
    counts.textContent = found.length ? PLACES.map(([name], n) => `${name} ${numbers[n]}`).join(", ") : "not found";
    // While it is typed the page goes along, but opens nothing.
    const near = found.slice(0, MOST_MARKED).findIndex(([place], n) => place < 2 && isIn(PLACES[place][1], rangeAt(n)));
    if (near >= 0) stand(near); else if (found.length && found[0][0] < 2) stand(0);
  }
  function stand(n, { open = false } = {}) {
    here = n;
    const range = rangeAt(n), root = PLACES[found[n][0]][1];
    mark("found-here", [range]);
    if (open || found[n][0] < 2) reveal(root, range);
    if (!marks) getSelection().setBaseAndExtent(range.startContainer, range.startOffset, range.endContainer, range.endOffset);
  }
  function step(way) {
    if (!found.length) return;
    stand((here < 0 ? (way > 0 ? 0 : found.length - 1) : here + way + found.length) % found.length, { open: true });
    counts.textContent = `${here + 1} of ${found.length}, ${PLACES[found[here][0]][0]}`;
  }
  function open() {
    const chosen = getSelection().toString().trim();
    if (finder.hidden) before = document.activeElement;
    finder.hidden = false;
    if (chosen && chosen.length < 80 && !/\n/.test(chosen)) field.value = chosen;
    field.focus();
    field.select();
    texts = [];
    search();
  }
  function close() {
    finder.hidden = true;
    found = [];
    texts = [];
    mark("found", []);
    mark("found-here", []);
    before?.focus({ preventScroll: true });
  }
  field.addEventListener("input", () => search({ again: true }));
  finder.addEventListener("keydown", (event) => {
    // Enter sends the ballot elsewhere; here it finds.
    event.stopPropagation();
    if (event.isComposing) return;
    if (event.key === "Escape") { event.preventDefault(); close(); }
    if (event.key === "Enter" && event.target === field) { event.preventDefault(); step(event.shiftKey ? -1 : 1); }
  });
  $("#find-next").addEventListener("click", () => step(1));
  $("#find-previous").addEventListener("click", () => step(-1));
  $("#find-close").addEventListener("click", close);
  $("#find-button").addEventListener("click", open);
  on("find", open, { whileClosed: true });
  document.addEventListener("view-changed", () => { if (!finder.hidden) { texts = []; search(); } });

  // ---- What is selected in a response, in the prompt and its context
  const hint = $("#quoted-hint"), SHORTEST_RUN = 4, LONGEST = 600;
  let quoted = [];
  // The words as they stand, or the longest run of them that stands there.
  function places(text, words) {
    const whole = hits(text.text, pattern(words, { whole: true }));
    if (whole.length) return whole;
    const all = words.trim().split(/\s+/);
    let best = [], length = SHORTEST_RUN - 1;
    for (let from = 0; from + length < all.length; from++) for (let to = from + length + 1; to <= all.length; to++) {
      const some = hits(text.text, pattern(all.slice(from, to).join(" "), { whole: true }));
      if (!some.length) break;
      best = some;
      length = to - from;
    }
    return best;
  }
  // Marks the words in the prompt; shows them where it is open, else says that P does. For evidence, too.
  function quote(words) {
    const text = /[\p{L}\p{N}]{2}/u.test(words) && words.length <= LONGEST ? read(file) : null;
    quoted = text ? places(text, words).slice(0, 50).map((hit) => rangeOf(text, hit)) : [];
    mark("quoted", quoted);
    hint?.toggleAttribute("data-found", quoted.length > 0);
    if (quoted.length && prompt.open) reveal(file, quoted[0]);
    return quoted.length > 0;
  }
  labelPage.quote = quote;
  let waiting = 0;
  document.addEventListener("selectionchange", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const selection = getSelection(), within = selection.anchorNode?.parentElement?.closest(".resp-text");
      if (within) quote(selection.isCollapsed ? "" : selection.toString().trim());
    }, 150);
  });
  prompt.addEventListener("toggle", () => { if (prompt.open && quoted.length) reveal(file, quoted[0]); });
})();
