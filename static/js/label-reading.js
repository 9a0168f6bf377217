// How the two responses are read: as they render, as their source, or by their difference; scrolled
// together or apart. The rendered text stays in the page, hidden: evidence counts places in it.
(() => {
  const { on, say } = labelPage;
  const SIDES = ["Left", "Right"], RENDERED = "", SOURCE = "source", DIFFERENCE = "difference";
  const { $ } = labelPage.dom;
  const bar = $("#differences"), level = $("#together"), panes = Object.fromEntries(SIDES.map((side) => [side, $(`#text-${side}`)]));
  const other = { Left: "Right", Right: "Left" };
  const shown = Object.fromEntries(SIDES.map((side) => [side, $(".view", panes[side])?.dataset.view ?? RENDERED]));
  const bothShow = (name) => SIDES.every((side) => shown[side] === name);

  // ---- Another view: fetched once, then kept
  const fetched = new Map();
  async function load(name) {
    const response = await fetch(bar.dataset[name]).catch(() => { throw new Error("No connection: it cannot be shown now."); });
    if (response.redirected) throw new Error("You are signed out: sign in again, then press it again.");
    if (!response.ok) throw new Error("It cannot be shown now.");
    const page = new DOMParser().parseFromString(await response.text(), "text/html"), section = $("[data-view]", page);
    const views = Object.fromEntries(SIDES.map((side) => [side, $(`[data-side=${side}]`, section)]));
    return { views, refusal: $("p", section)?.parentElement === section ? $("p", section).textContent : "", facts: section.dataset };
  }
  function get(name) {
    if (!fetched.has(name)) fetched.set(name, load(name).catch((error) => { fetched.delete(name); throw error; }));
    return fetched.get(name);
  }

  let turns = 0;
  async function change(wanted) {
    const turn = ++turns, found = {};
    press(wanted);
    try {
      for (const name of new Set(Object.values(wanted))) if (name) found[name] = await get(name);
    } catch (error) {
      if (turn === turns) { press(shown); say(error.message); }
      return;
    }
    if (turn !== turns) return;
    const refusal = Object.values(found).map((one) => one.refusal).find(Boolean);
    if (refusal) { press(shown); return say(refusal); }
    for (const side of SIDES) show(side, wanted[side], found[wanted[side]]?.views[side]);
    bar.hidden = !bothShow(DIFFERENCE);
    if (found[DIFFERENCE]) count(found[DIFFERENCE].facts);
    else if (bar.hidden) at = 0;
    document.dispatchEvent(new Event("view-changed"));
    if (linked()) align("Left");
  }

  // Back to a view that was not scrolled in, the place is as it was; else about the same share.
  const came = {};
  function show(side, name, view) {
    if (shown[side] === name) return;
    const pane = panes[side], was = shown[side], top = pane.scrollTop, share = top / Math.max(1, pane.scrollHeight - pane.clientHeight);
    const own = name && ($(`.view[data-view=${name}]`, pane) ?? pane.appendChild(document.importNode(view, true)));
    for (const child of pane.children) child.hidden = name ? child !== own : child.matches(".view");
    shown[side] = name;
    const back = came[side]?.from === name && Math.abs(came[side].top - top) < 2;
    pane.scrollTop = back ? came[side].back : share * (pane.scrollHeight - pane.clientHeight);
    came[side] = { from: was, back: top, top: pane.scrollTop };
    expected[side] = pane.scrollTop;
  }

  const switches = [...document.querySelectorAll("[data-switch]")];
  function press(views) {
    for (const button of switches) {
      const { switch: name, side } = button.dataset;
      button.setAttribute("aria-pressed", String(side ? views[side] === name : SIDES.every((one) => views[one] === name)));
    }
  }
  const both = (name) => ({ Left: name, Right: name });
  const toggle = (name) => change(both(bothShow(name) ? RENDERED : name));
  function toggleOne(side) {
    const rest = shown[other[side]] === DIFFERENCE ? RENDERED : shown[other[side]];
    change({ [side]: shown[side] === SOURCE ? RENDERED : SOURCE, [other[side]]: rest });
  }

  // ---- From difference to difference
  let at = 0;
  const blocksOf = (side) => [...panes[side].querySelectorAll(".view-difference > .block")];
  // Where the wording is too different to be compared in order, each side marks what only it says.
  const inOrder = () => bothShow(DIFFERENCE) && !("oneSided" in bar.dataset);
  function count({ changes, says, oneSided }) {
    bar.dataset.changes = changes;
    for (const box of [bar, ...switches.filter((one) => one.dataset.switch === DIFFERENCE)]) box.toggleAttribute("data-one-sided", oneSided !== undefined);
    $("#differences-say").textContent = says.trim();
  }
  function step(way) {
    const total = Number(bar.dataset.changes);
    if (!bothShow(DIFFERENCE) || !total) return;
    if (at) at = (at - 1 + way + total) % total + 1;
    else {
      const top = panes.Left.getBoundingClientRect().top, block = blocksOf("Left").find((one) => one.getBoundingClientRect().bottom > top);
      const next = Number([...block?.querySelectorAll("[data-n]") ?? []].find((place) => place.getBoundingClientRect().bottom > top)?.dataset.n ?? 1);
      at = way > 0 ? next : next - 1 || total;
    }
    for (const side of SIDES) {
      const pane = panes[side];
      for (const place of pane.querySelectorAll(".view-difference .is-here")) place.classList.remove("is-here");
      const place = $(`.view-difference [data-n="${at}"]`, pane);
      // What only one side says has no place in the other.
      if (!place) continue;
      place.classList.add("is-here");
      pane.closest(".resp").scrollIntoView({ block: "nearest", inline: "nearest" });
      // Twice: what comes into view may turn out taller than it was taken for.
      for (let go = 0; go < 2; go++) {
        pane.scrollTop += place.getBoundingClientRect().top - pane.getBoundingClientRect().top - pane.clientHeight * 0.3;
      }
      expected[side] = pane.scrollTop;
    }
    $("#differences-say").textContent = `${inOrder() ? "Difference" : "Only on one side,"} ${at} of ${total}`;
  }

  // ---- Together: level at the same headings or differences, between them by the share of the way
  const REMEMBERED = "calibrant-together";
  let together = false;
  try { together = localStorage.getItem(REMEMBERED) === "yes"; } catch { /* then it is apart */ }
  const expected = { Left: -1, Right: -1 };
  const linked = () => together || inOrder();
  // Where a change stands: exactly in the blocks about to be seen; to ask the others would lay them out.
  function changes(side) {
    const pane = panes[side], box = pane.getBoundingClientRect(), from = box.top - pane.scrollTop, found = [];
    for (const block of blocksOf(side)) {
      const place = block.getBoundingClientRect(), near = place.bottom > box.top - box.height && place.top < box.bottom + box.height;
      for (const one of near ? block.querySelectorAll("[data-n]") : [$("[data-n]", block)]) {
        if (one) found.push([Number(one.dataset.n), (near ? one : block).getBoundingClientRect().top - from]);
      }
    }
    return found;
  }
  // Of (x, y) in rising order the y at any x, by the share of the way between two.
  function between(points, x) {
    const n = Math.min(Math.max(1, points.findIndex(([from]) => from >= x)), points.length - 1);
    const [[fromX, fromY], [toX, toY]] = [points[n - 1], points[n]];
    return fromY + (toY - fromY) * (toX > fromX ? (x - fromX) / (toX - fromX) : 0);
  }
  function stations() {
    const ends = SIDES.map((side) => panes[side].scrollHeight), pairs = [];
    if (inOrder()) {
      const last = Number(bar.dataset.changes) + 1;
      const [left, right] = SIDES.map((side, n) => [[0, 0], ...changes(side), [last, ends[n]]]);
      for (const number of new Set([...left, ...right].map(([one]) => one))) pairs.push([between(left, number), between(right, number)]);
    } else if (bothShow(RENDERED)) {
      const heads = (pane) => {
        const from = pane.getBoundingClientRect().top - pane.scrollTop;
        return [...pane.querySelectorAll(".prose > :is(h3, h4, h5, h6)")].map((head) => [head.textContent, head.getBoundingClientRect().top - from]);
      };
      const [left, right] = SIDES.map((side) => heads(panes[side]));
      let next = 0;
      for (const [name, y] of left) {
        const match = right.findIndex(([one], n) => n >= next && one === name);
        if (match < 0) continue;
        pairs.push([y, right[match][1]]);
        next = match + 1;
      }
    }
    const rising = [[0, 0]];
    for (const pair of [...pairs.sort(([a], [b]) => a - b), ends]) if (pair[0] > rising.at(-1)[0] && pair[1] > rising.at(-1)[1]) rising.push(pair);
    return rising;
  }
  function align(side) {
    const pane = panes[side], follower = panes[other[side]], way = pane.scrollHeight - pane.clientHeight, rest = follower.scrollHeight - follower.clientHeight;
    if (way <= 0 || rest <= 0) return;
    // The line one reads moves down the pane as one scrolls, so that both begin and both end together.
    const y = pane.scrollTop / way * pane.scrollHeight, pairs = stations();
    const there = between(side === "Left" ? pairs : pairs.map(([a, b]) => [b, a]), y);
    expected[side] = pane.scrollTop;
    follower.scrollTop = there / follower.scrollHeight * rest;
    expected[other[side]] = follower.scrollTop;
  }
  for (const side of SIDES) panes[side].addEventListener("scroll", () => {
    // What only followed does not lead.
    if (Math.abs(panes[side].scrollTop - expected[side]) < 2) return;
    expected[side] = panes[side].scrollTop;
    if (linked()) align(side);
  }, { passive: true });
  function setTogether(value) {
    together = value;
    level.setAttribute("aria-pressed", String(value));
    try { localStorage.setItem(REMEMBERED, value ? "yes" : "no"); } catch { /* it holds for this page */ }
    if (value) align(document.activeElement?.closest("#text-Right") ? "Right" : "Left");
  }

  // A stretch that is alike opens on both sides.
  for (const side of SIDES) panes[side].addEventListener("toggle", ({ target }) => {
    if (!target.matches(".same")) return;
    const twin = $(`.same[data-before="${target.dataset.before}"]`, panes[other[side]]);
    if (twin) twin.open = target.open;
  }, true);

  // ---- Start
  const READS = { whileClosed: true };
  on("source", () => toggle(SOURCE), READS);
  on("difference", () => toggle(DIFFERENCE), READS);
  on("together", () => setTogether(!together), READS);
  on("next_difference", () => step(1), { whileClosed: true, repeat: true });
  on("previous_difference", () => step(-1), { whileClosed: true, repeat: true });
  for (const button of switches) {
    button.setAttribute("role", "button");
    button.addEventListener("click", (event) => {
      event.preventDefault();
      if (button.dataset.side) toggleOne(button.dataset.side); else toggle(button.dataset.switch);
    });
    button.addEventListener("keydown", (event) => {
      if (event.key !== " ") return;
      event.preventDefault();
      event.stopPropagation();
      button.click();
    });
  }
  press(shown);
  level.setAttribute("aria-pressed", String(together));
  level.addEventListener("click", () => setTogether(!together));
  for (const [id, way] of [["difference-next", 1], ["difference-previous", -1]]) {
    document.getElementById(id).addEventListener("click", () => step(way));
  }
})();
