// Names are fetched when somebody asks for them, and gone from the page when they are hidden again.
(() => {
  const { form, say } = meeting, button = document.getElementById("names");
  if (!button) return;
  const places = [...document.querySelectorAll(".who-name")];
  let busy = false;
  function show(names) {
    for (const place of places) {
      const name = names?.[place.dataset.handle] ?? "";
      place.textContent = name;
      place.hidden = !name;
    }
    button.setAttribute("aria-pressed", String(Boolean(names)));
    say(names ? "Names shown. V hides them again." : "Names hidden.");
  }
  async function toggle() {
    if (busy) return;
    if (button.getAttribute("aria-pressed") === "true") {
      show(null);
      // Shown without a script they stand in the address as well.
      history.replaceState(null, "", location.pathname + location.search.replace(/([?&])names=1(&|$)/, "$1").replace(/[?&]$/, ""));
      return;
    }
    busy = true;
    try {
      const response = await fetch(form.dataset.names, { headers: { Accept: "application/json" } });
      const answer = response.ok && !response.redirected ? await response.json() : null;
      if (answer) show(answer.names); else say("The names could not be had: you may be signed out.");
    } catch {
      say("The server cannot be reached just now.");
    }
    busy = false;
  }
  button.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    toggle();
  });
})();
