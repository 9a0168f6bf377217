// What the scripts of the label page do to the document: find in it, add to it, bring a place of it into view.
labelPage.dom = (() => {
  const $ = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = labelPage.form) => [...within.querySelectorAll(selector)];

  function make(tag, words = [], attributes = {}) {
    const made = document.createElement(tag);
    made.append(...[words].flat());
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  }
  function button(words, act, attributes = {}) {
    const made = make("button", words, { type: "button", class: "btn btn-quiet btn-small", ...attributes });
    made.addEventListener("click", act);
    return made;
  }

  // A range into view of what scrolls it, whatever it is folded into.
  function reveal(scroller, range) {
    const element = range.startContainer.parentElement;
    const folded = (from) => from?.closest("details:not([open])");
    for (let fold = folded(element); fold; fold = folded(fold.parentElement)) fold.open = true;
    element.closest(".is-folded")?.dispatchEvent(new Event("unfold"));
    scroller.closest(".resp")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    // Twice: what comes into view may turn out taller than it was taken for.
    for (let go = 0; go < 2; go += 1) {
      const place = range.getBoundingClientRect(), area = scroller.getBoundingClientRect();
      if (place.top >= area.top + 24 && place.bottom <= area.bottom - 24) break;
      scroller.scrollTop += place.top - area.top - Math.max(24, (area.height - place.height) / 3);
    }
    const wide = element.closest(".code, .table-scroll, .formula-block");
    if (!wide) return;
    const place = range.getBoundingClientRect(), area = wide.getBoundingClientRect();
    if (place.left < area.left || place.right > area.right) wide.scrollLeft += place.left - area.left - wide.clientWidth * 0.3;
  }

  return { $, all, make, button, reveal };
})();
