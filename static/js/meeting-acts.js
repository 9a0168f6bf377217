// Acts open over the page: the server's form in a dialog, and what came of it in the same place.
// Without this file each is a page of its own.
(() => {
  const { say } = meeting, dialog = document.getElementById("act"), body = document.getElementById("act-body");
  let opening = 0;

  async function open(href) {
    meeting.passage.keep();
    const mine = ++opening;
    let response = null;
    try {
      response = await fetch(href, { headers: { "HX-Request": "true" } });
    } catch {
      return say("The server cannot be reached just now.");
    }
    if (mine !== opening) return undefined;
    if (response.redirected) return (await signIn.ask()) === signIn.OWN ? open(href) : undefined;
    if (!response.ok) return location.assign(href);
    const answer = new DOMParser().parseFromString(await response.text(), "text/html");
    body.replaceChildren(...[...answer.body.childNodes].map((node) => document.importNode(node, true)));
    htmx.process(body);
    offer();
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    (body.querySelector("[autofocus]") ?? first())?.focus();
    return undefined;
  }
  const first = () => [...body.querySelectorAll("[aria-invalid=true], input[type=radio]:checked, select:not([name=key]), textarea, input:not([type=hidden])")].find((field) => field.checkVisibility());

  // What is selected on the page behind comes first among the passages.
  function offer() {
    const radio = body.querySelector("[name=source][value=selected]");
    if (!radio) return;
    const field = body.querySelector("[name=selected]"), label = radio.closest("label"), kept = meeting.passage.kept;
    const passage = field.value ? JSON.parse(field.value) : kept && !kept.problem ? kept : null;
    const list = body.querySelector(".m-passages"), others = list.querySelectorAll("[name=source]").length > 2;
    label.hidden = !passage;
    radio.disabled = !passage;
    // One thing to choose from is no choice.
    list.hidden = !passage && !others;
    body.querySelector(".m-select-first").hidden = !list.hidden;
    if (!passage) return;
    const chosen = !field.value;
    field.value = JSON.stringify(passage);
    label.lastChild.data = ` “${passage.quote.length > 160 ? `${passage.quote.slice(0, 159)}…` : passage.quote}” as you have selected it`;
    if (chosen) radio.checked = true;
  }

  const close = () => { opening += 1; dialog.close(); };
  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest("[data-close]") && dialog.open) {
      event.preventDefault();
      return close();
    }
    const link = event.target.closest("a[data-act]");
    if (!link) return undefined;
    event.preventDefault();
    return open(link.href);
  });
  // Another check of the draft: its own words come into the fields.
  body.addEventListener("change", (event) => {
    const form = event.target.closest("form");
    if (!event.target.matches("select[name=key]") || !form) return;
    const address = new URL(form.action);
    address.searchParams.set("key", event.target.value);
    open(address.href).then(() => body.querySelector("select[name=key]")?.focus());
  });
  body.addEventListener("keydown", (event) => {
    const form = event.target.closest("form");
    if (event.key === "Enter" && event.ctrlKey && form) {
      event.preventDefault();
      form.requestSubmit(form.querySelector(".btn-primary"));
    }
    // A passage by its number.
    const radios = [...body.querySelectorAll("[name=source]")];
    if (!/^[1-9]$/.test(event.key) || meeting.typing(event.target) || event.ctrlKey || event.altKey) return;
    const found = radios.find((radio) => radio.value === event.key);
    if (!found) return;
    event.preventDefault();
    found.checked = true;
    found.focus();
  });

  // Whoever was signed out signs in over the page: leaving it would throw away what was typed.
  document.addEventListener("htmx:beforeOnLoad", (event) => {
    if (!event.detail.xhr.getResponseHeader("HX-Redirect")?.startsWith("/login")) return;
    event.preventDefault();
    wrong("You are signed out. Sign in again, then send this once more.");
    signIn.ask();
  });
  // Signing in, here or in another tab, renews the token.
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    const token = kept.token();
    if (!token) return;
    detail.headers["X-CSRFToken"] = token;
    if (detail.parameters.csrfmiddlewaretoken) detail.parameters.csrfmiddlewaretoken = token;
  });
  for (const name of ["htmx:sendError", "htmx:responseError"]) document.addEventListener(name, () => wrong("That did not arrive. Nothing was changed: send it once more."));
  function wrong(words) {
    const form = body.querySelector("form");
    if (!form) return say(words);
    const line = form.querySelector(".not-sent") ?? Object.assign(document.createElement("p"), { className: "m-error not-sent", role: "alert" });
    line.textContent = words;
    form.querySelector(".actions").before(line);
    return undefined;
  }
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target !== body) return;
    offer();
    dialog.scrollTop = 0;
    (body.querySelector("[autofocus]") ?? body.querySelector("[aria-invalid=true]") ?? first())?.focus();
  });


})();
