// Light, dark or as the system: kept on this machine, set before the first paint.
(() => {
  const root = document.documentElement;
  const kept = () => {
    try { return localStorage.getItem("theme") || ""; } catch { return ""; }
  };
  const apply = (theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  };
  const keep = (theme) => {
    // A browser that keeps nothing still shows the choice until the next page.
    try { localStorage.setItem("theme", theme); } catch { /* nothing to keep it in */ }
    apply(theme);
  };

  apply(kept());
  addEventListener("storage", (event) => { if (event.key === "theme") apply(event.newValue || ""); });
  addEventListener("DOMContentLoaded", () => {
    const choice = document.querySelector("[data-theme-choice]");
    if (!choice) return;
    choice.hidden = false;
    for (const radio of choice.querySelectorAll("input")) {
      radio.checked = radio.value === kept();
      radio.addEventListener("change", () => keep(radio.value));
    }
  });
})();
