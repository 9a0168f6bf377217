// How the two responses are read: as they render, as their source, or by their difference; scrolled
// together or apart. The rendered text stays in the page, hidden: evidence counts places in it.
(() => {
  const { on, say } = labelPage;
  const SIDES = ["Left", "Right"], RENDERED = "", SOURCE = "source", DIFFERENCE = "difference";
  const $ = (selector, within = document) => within.querySelector(selector);
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
  const placesOf = (side) => [...panes[side].querySelectorAll(".view-difference [data-n]")];
  function count({ changes, percentSame }) {
    bar.dataset.changes = changes;
    $("#differences-say").textContent = `${changes} difference${changes === "1" ? "" : "s"}, ${percentSame}% alike`;
  }
  function step(way) {
    const total = Number(bar.dataset.changes);
    if (!bothShow(DIFFERENCE) || !total) return;
    if (!at) {
      const top = panes.Left.getBoundingClientRect().top, next = placesOf("Left").findIndex((place) => place.getBoundingClientRect().bottom > top);
      at = way > 0 ? (next < 0 ? 1 : next + 1) : Math.max(next, 0) || total;
    } else at = (at - 1 + way + total) % total + 1;
    for (const side of SIDES) {
      const pane = panes[side];
      for (const place of placesOf(side)) place.classList.toggle("is-here", Number(place.dataset.n) === at);
      // Twice: what comes into view may turn out taller than it was taken for.
      for (let go = 0; go < 2; go++) {
        const place = $(`.view-difference [data-n="${at}"]`, pane);
        pane.scrollTop += place.getBoundingClientRect().top - pane.getBoundingClientRect().top - pane.clientHeight * 0.3;
      }
      expected[side] = pane.scrollTop;
    }
    $("#differences-say").textContent = `Difference ${at} of ${total}`;
  }

  // ---- Together: level at the same headings or differences, between them by the share of the way
  const REMEMBERED = "calibrant-together";
  let together = false;
  try { together = localStorage.getItem(REMEMBERED) === "yes"; } catch { /* then it is apart */ }
  const expected = { Left: -1, Right: -1 };
  const linked = () => together || bothShow(DIFFERENCE);
  let known = { key: "" };
  function stations() {
    const key = SIDES.map((side) => `${shown[side]} ${panes[side].scrollHeight} ${panes[side].clientWidth}`).join();
    if (known.key === key) return known;
    const [left, right] = SIDES.map((side) => {
      const pane = panes[side], from = pane.getBoundingClientRect().top - pane.scrollTop;
      const found = bothShow(DIFFERENCE) ? placesOf(side) : bothShow(RENDERED) ? [...pane.querySelectorAll(".prose > :is(h3, h4, h5, h6)")] : [];
      return found.map((element) => ({ name: element.dataset.n ?? element.textContent, y: element.getBoundingClientRect().top - from }));
    });
    const pairs = [[0, 0]];
    let next = 0;
    for (const { name, y } of left) {
      const match = right.findIndex((one, n) => n >= next && one.name === name);
      const [beforeLeft, beforeRight] = pairs.at(-1);
      if (match < 0) continue;
      next = match + 1;
      if (y > beforeLeft && right[match].y > beforeRight) pairs.push([y, right[match].y]);
    }
    pairs.push([panes.Left.scrollHeight, panes.Right.scrollHeight]);
    return known = { key, Left: pairs, Right: pairs.map(([a, b]) => [b, a]) };
  }
  function align(side) {
    const pane = panes[side], follower = panes[other[side]], way = pane.scrollHeight - pane.clientHeight, rest = follower.scrollHeight - follower.clientHeight;
    if (way <= 0 || rest <= 0) return;
    // The line one reads moves down the pane as one scrolls, so that both begin and both end together.
    const y = pane.scrollTop / way * pane.scrollHeight, pairs = stations()[side];
    const n = Math.max(1, pairs.findIndex(([from]) => from >= y));
    const [fromA, toA] = pairs[n - 1], [fromB, toB] = pairs[n];
    const there = toA + (toB - toA) * (fromB > fromA ? (y - fromA) / (fromB - fromA) : 0);
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
    known = { key: "" };
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
  level.hidden = false;
  level.setAttribute("aria-pressed", String(together));
  level.addEventListener("click", () => setTogether(!together));
  for (const [id, way] of [["difference-next", 1], ["difference-previous", -1]]) {
    const button = document.getElementById(id);
    button.hidden = false;
    button.addEventListener("click", () => step(way));
  }
})();
