// The way back, one answer at a time. Typed text is no part of it: the browser undoes that, and nothing
// that a key of the page does may take a whole text away.
labelPage.undo = (() => {
  const { all } = labelPage.dom;
  const isTick = (field) => field.matches("[type=radio], [type=checkbox]");
  const valueOf = (field) => isTick(field) ? field.checked : field.value;
  const fields = all("input[name]:not([name=csrfmiddlewaretoken], [name=submit_key], [name=known_revision])");
  const now = () => new Map(fields.map((field) => [field, valueOf(field)]));
  const steps = [];
  let known = now();

  // What changed, in the words of the page: “G1 Left”, “the preference”, or how many answers.
  function named(changed) {
    const names = changed.map(({ name }) => name).filter((name) => name !== "all_pass");
    const found = new Set(names.map((name) => labelPage.fields.nameOf(name, { within: true })));
    return found.size > 2 ? `${found.size} answers` : [...found].join(", ") || "the last change";
  }

  return {
    get isEmpty() { return !steps.length; },
    // Without a step: what stands now is where it begins.
    begin() { known = now(); },
    // What differs since the last step is one; `row`: where one was.
    step(row) {
      const changed = fields.filter((field) => known.get(field) !== valueOf(field)).map((field) => [field, known.get(field)]);
      if (!changed.length) return false;
      steps.push({ changed, row });
      known = now();
      return true;
    },
    // Puts the last step back; what it was, or nothing.
    back() {
      const last = steps.pop();
      if (!last) return null;
      const gone = named(last.changed.filter(([field, value]) => value !== valueOf(field)).map(([field]) => field));
      for (const [field, value] of last.changed) field[isTick(field) ? "checked" : "value"] = value;
      known = now();
      return { words: gone, row: last.row };
    },
  };
})();
