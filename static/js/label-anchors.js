// The anchors of a check, over the third step while that is idle; on a phone over the texts.
labelPage.anchors = (() => {
  const { $, make, button } = labelPage.dom;
  const panel = $("#anchor-panel");
  let left = () => {};

  function show(row) {
    const close = button(["Close ", make("kbd", "A")], hide);
    const head = make("header", [make("h3", $("summary", row).textContent.trim()), close]);
    panel.replaceChildren(head, $(".anchors", row).cloneNode(true));
    panel.dataset.row = row.id;
    panel.setAttribute("aria-label", `Anchors of ${row.dataset.key}`);
    panel.hidden = false;
  }
  function hide() {
    if (panel.hidden) return;
    const held = panel.contains(document.activeElement);
    panel.hidden = true;
    if (held) left();
  }

  return {
    show,
    hide,
    get isOpen() { return !panel.hidden; },
    toggle(row) { if (!panel.hidden && panel.dataset.row === row.id) hide(); else show(row); },
    focus() { panel.focus({ preventScroll: true }); },
    // What is done once the panel that had the focus is gone.
    onLeft(act) { left = act; },
  };
})();
