// The keys of the meeting, and what they set: kept on the server at once, whatever happens next.
(() => {
  const { form, say, typing } = meeting, note = form.elements.note, keys = document.getElementById("keys");
  const kind = () => form.querySelector("[name=kind]:checked")?.value ?? "";
  let stored = JSON.stringify([kind(), note.value]), sending = Promise.resolve();

  // One after the other: each is held against what the one before it left.
  function keep() {
    sending = sending.then(async () => {
      const state = JSON.stringify([kind(), note.value]);
      if (state === stored) return;
      const fields = { action: "keep", kind: kind(), note: note.value, seen: form.elements.seen.value };
      const { outcome, answer } = await kept.post(form.getAttribute("action"), fields, { keepalive: true });
      if (outcome === "taken") {
        stored = state;
        form.elements.seen.value = answer.seen;
        if (answer.said) say(answer.said, { stays: true });
      } else if (outcome === "signed-out") {
        say("You are signed out: this is not kept yet.", { stays: true });
        if ((await signIn.ask()) === signIn.OWN) queueMicrotask(keep);
      } else if (outcome === "incomplete") {
        say(answer?.problem ?? "This could not be kept.", { stays: true });
      } else {
        say("The server cannot be reached just now: this is not kept yet.", { stays: true });
      }
    });
    return sending;
  }

  form.addEventListener("change", keep);
  // Whoever leaves in the middle of a sentence finds it again.
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "hidden") keep(); });
  form.addEventListener("submit", (event) => {
    if (event.submitter?.value !== "settle" || kind()) return;
    event.preventDefault();
    say("Choose a kind first, 1 to 4.", { stays: true });
    form.querySelector("[name=kind]").focus();
  });

  const press = (selector) => () => document.querySelector(selector)?.click();
  const go = (id) => () => document.getElementById(id) && keep().then(() => document.getElementById(id).click());
  const acts = new Map([...document.querySelectorAll("a[data-act][aria-keyshortcuts]")].map((link) => [link.getAttribute("aria-keyshortcuts"), () => link.click()]));
  const does = new Map([
    ["j", go("following")], ["arrowright", go("following")], ["k", go("previous")], ["arrowleft", go("previous")],
    ["v", press("#names")],
    ["d", () => note.focus()],
    ["f", () => { const file = document.getElementById("file"); if (file) file.open = !file.open; }],
    ["t", () => document.querySelector("#changes .take-back")?.focus()],
    ["?", () => keys.showModal()],
    ["[", () => meeting.passage.step(-1)], ["]", () => meeting.passage.step(1)],
    ["{", () => meeting.passage.step(-1, { more: true })], ["}", () => meeting.passage.step(1, { more: true })],
    ...acts,
  ]);

  document.addEventListener("keydown", (event) => {
    if (meeting.open() || event.defaultPrevented) return;
    if (event.key === "Enter" && event.ctrlKey) {
      event.preventDefault();
      form.requestSubmit(form.querySelector("[value=settle]"));
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (typing(event.target)) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const key = event.key.toLowerCase();
    if (/^[1-4]$/.test(key)) {
      const radio = form.querySelectorAll("[name=kind]")[Number(key) - 1];
      event.preventDefault();
      radio.checked = true;
      keep();
      return;
    }
    // Arrows stay with whatever has a use for them.
    if (key.startsWith("arrow") && event.target.closest("input, select, [role=radiogroup]")) return;
    const act = does.get(key);
    if (!act || event.repeat && !/[[\]{}]/.test(key)) return;
    event.preventDefault();
    act();
  });
})();
