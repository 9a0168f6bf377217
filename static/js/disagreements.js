// The keys of the list of disagreements: J and K go from row to row, digits choose a kind, Enter
// takes what is suggested, M goes to the meeting. Every key presses a button or a link of the row,
// so that all works without them.
(() => {
  const rows = () => [...document.querySelectorAll("[data-split]")];
  // The row that was sorted last: its answer takes its place, and the focus must go somewhere. After
  // a key it goes on to the next row, after a button it stays.
  let sorted = "";
  let byKey = false;

  const rowOf = (element) => element?.closest?.("[data-split]");

  function go(row) {
    if (!row) return;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "nearest" });
  }

  function step(by) {
    const all = rows();
    const at = all.indexOf(rowOf(document.activeElement));
    go(at < 0 ? all[0] : all[at + by]);
  }

  function press(row, button) {
    if (!button || row.querySelector("form.htmx-request")) return;
    byKey = true;
    button.click();
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target.closest("input, select, textarea, dialog")) return;
    const row = rowOf(event.target);
    const key = event.key.toLowerCase();
    if (key === "j" || key === "k") step(key === "j" ? 1 : -1);
    else if (row && /^[0-4]$/.test(key)) press(row, row.querySelector(`[data-key="${key}"]`));
    else if (row && key === "m") row.querySelector('[data-key="m"]')?.click();
    else if (row && key === "enter" && event.target === row) press(row, row.querySelector(".is-suggested"));
    else return;
    event.preventDefault();
  });

  // After all suggestions of a check were accepted, J and K go on from its first row.
  // The browser goes to the heading first, and takes the focus from where it was.
  addEventListener("load", () => requestAnimationFrame(() => {
    const check = location.hash.startsWith("#check-") && document.getElementById(location.hash.slice(1));
    if (check) check.closest("section").querySelector("[data-split]")?.focus({ preventScroll: true });
  }));

  document.addEventListener("htmx:beforeRequest", (event) => { sorted = rowOf(event.target)?.id ?? ""; });

  document.addEventListener("htmx:afterSettle", () => {
    const row = sorted && document.getElementById(sorted);
    if (row) go((byKey && rows()[rows().indexOf(row) + 1]) || row);
    sorted = "";
    byKey = false;
  });
})();
