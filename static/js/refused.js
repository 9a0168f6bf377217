// A form that was refused comes back as a page from its top: go on where something is missing.
document.addEventListener("DOMContentLoaded", () => {
  const [arrival] = performance.getEntriesByType("navigation");
  if (arrival?.responseStatus !== 422 || document.activeElement !== document.body) return;
  const shown = (element) => element.getClientRects().length > 0;
  const field = [...document.querySelectorAll("main [aria-invalid=true]")].find(shown);
  const place = field ?? document.querySelector("main form .notice-fail");
  if (!place) return;
  if (!field) place.tabIndex = -1;
  place.focus({ preventScroll: true });
  place.scrollIntoView({ block: "center" });
});
