// The YAML of the rubric editor: line numbers beside it, problems at their lines, a way to each.
(() => {
  const source = document.getElementById("source");
  const lines = document.getElementById("yaml-lines");
  if (!source || !lines) return;

  function draw() {
    const wrong = new Set();
    for (const said of document.querySelectorAll("#yaml-problems [data-line]")) wrong.add(Number(said.dataset.line));
    const count = source.value.split("\n").length;
    const rows = [];
    for (let n = 1; n <= count; n += 1) {
      const row = document.createElement("span");
      row.textContent = wrong.has(n) ? `▸${n}` : String(n);
      if (wrong.has(n)) row.className = "is-wrong";
      rows.push(row);
    }
    lines.replaceChildren(...rows);
    lines.scrollTop = source.scrollTop;
  }

  function go(line) {
    const before = source.value.split("\n").slice(0, line - 1);
    const start = before.reduce((sum, text) => sum + text.length + 1, 0);
    const end = source.value.indexOf("\n", start);
    source.focus();
    source.setSelectionRange(start, end < 0 ? source.value.length : end);
    const height = parseFloat(getComputedStyle(source).lineHeight);
    source.scrollTop = Math.max(0, (line - 6) * height);
  }

  lines.hidden = false;
  source.addEventListener("scroll", () => { lines.scrollTop = source.scrollTop; });
  source.addEventListener("input", draw);
  source.addEventListener("drawn", draw);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-go]");
    if (!link) return;
    event.preventDefault();
    go(Number(link.dataset.go));
  });
  draw();
})();
