// What the server misses in an answer, at the fields it names and as its own page shows it: nothing
// that was entered goes, nor the way back.
labelPage.refusal = (() => {
  const { form } = labelPage, { make } = labelPage.dom;
  const byId = (id) => document.getElementById(id);
  const idOf = (name) => name.replaceAll(":", "-").replace(/-+$/, "");

  function mark(name, words) {
    const id = idOf(name), field = byId(id), line = make("p", words, { class: "row-error", id: `${id}-error` });
    if (!field) return null;
    if (name !== "evidence") field.setAttribute("aria-describedby", line.id);
    if (field.matches("textarea")) field.setAttribute("aria-invalid", "true");
    const row = field.closest(".crit");
    row?.classList.add("has-error");
    if (row) row.append(line); else if (name === "evidence") form.querySelector(".why-box").append(line); else field.after(line);
    return field;
  }
  function clear() {
    for (const line of form.querySelectorAll(".row-error[id$='-error']")) {
      const field = form.querySelector(`[aria-describedby="${line.id}"]`);
      field?.removeAttribute("aria-describedby");
      field?.removeAttribute("aria-invalid");
      line.remove();
    }
    for (const row of form.querySelectorAll(".has-error")) row.classList.remove("has-error");
    byId("errors")?.remove();
  }
  function focusOn(field) {
    if (field.id === "rationale" && field.closest(".is-covered")) return form.querySelector("[data-text=rationale]").click();
    const inner = field.matches("details") ? field.querySelector("summary") : field.querySelector(".measure, :checked");
    (inner ?? field).focus({ preventScroll: true });
    // What it is mended with as well: the chips that cite, the box to tick.
    for (const box of [field.closest(".why-box"), field]) box?.scrollIntoView({ block: "nearest" });
  }

  return {
    clear,
    show(errors) {
      clear();
      const named = Object.entries(errors).map(([name, words]) => mark(name, words));
      labelPage.say(`Not sent yet. ${Object.values(errors)[0]}`, { seen: true });
      const first = named.find(Boolean);
      if (first) focusOn(first);
    },
  };
})();
