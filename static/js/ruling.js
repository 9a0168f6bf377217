// The wording of the rule that was missing begins as the chosen check reads; what was typed stays.
(() => {
  const kind = document.querySelector("[data-texts]");
  const text = kind?.form.elements.text;
  if (!text) return;
  const texts = JSON.parse(kind.dataset.texts);
  let begun = texts[kind.value] ?? "";
  kind.addEventListener("change", () => {
    if (text.value.trim() && text.value !== begun) return;
    begun = texts[kind.value] ?? "";
    text.value = begun;
  });
})();
