// The rubric editor: a change of either side is sent, and the answer fills the other. What is
// being typed into is never written over. Without this script the same form is checked by a button.
(() => {
  const form = document.getElementById("editor");
  if (!form) return;
  const source = document.getElementById("source");
  const side = document.getElementById("editor-form");
  const state = document.getElementById("editor-state");
  const undo = document.getElementById("editor-undo");
  // Not form.action: the buttons go by that name.
  const address = form.getAttribute("action");
  const PAUSE = 350;
  const NATIVE = ["save", "publish", "load"];
  const earlier = [];
  let changes = 0;
  let timer = 0;
  let request = null;
  // The side that was changed and is not settled yet; the other one waits that long.
  let pending = "";
  let cleared = false;
  let unsaved = form.hasAttribute("data-changed");
  let leaving = false;

  const sideOf = (element) => (element === source ? "yaml" : side.contains(element) ? "form" : "");
  const namesIn = (root) => [...root.querySelectorAll("[name]")].filter((one) => one.type !== "submit").map((one) => one.name);

  function changed(which) {
    pending = which;
    unsaved = true;
    changes += 1;
    clearTimeout(timer);
    timer = setTimeout(() => sync("check"), PAUSE);
  }

  // Signing in, here or in another tab, renews the token.
  const freshen = () => { form.elements.csrfmiddlewaretoken.value = kept.token() || form.elements.csrfmiddlewaretoken.value; };

  // `asked`: somebody pressed a button and waits for it, so that signing in may come before them.
  async function sync(action, { asked = action !== "check", again = false } = {}) {
    clearTimeout(timer);
    timer = 0;
    request?.abort();
    request = new AbortController();
    const at = changes;
    const typedInto = pending;
    freshen();
    const body = new FormData(form);
    body.delete("file");
    body.set("action", action);
    body.set("part", "1");
    try {
      const response = await fetch(address, { method: "POST", body, signal: request.signal, redirect: "manual" });
      if (!again && (response.type === "opaqueredirect" || response.status === 403)) {
        return (await isOwn(asked)) ? sync(action, { asked, again: true }) : false;
      }
      if (![200, 409, 422].includes(response.status)) throw new Error(String(response.status));
      const answer = new DOMParser().parseFromString(await response.text(), "text/html");
      // Typed on meanwhile: the next answer will hold that as well.
      if (at === changes) apply(answer, action, typedInto);
      return true;
    } catch (error) {
      if (error.name === "AbortError") return false;
      say("No answer: nothing was kept. What you wrote stays here; try again.");
      return false;
    }
  }

  function say(words, ...buttons) {
    pending = "";
    state.replaceChildren(words, ...buttons);
  }

  // Whether the session is this person's, perhaps once more: nothing goes under another name.
  async function isOwn(asked) {
    const person = await kept.whoIsHere();
    if (person === null) {
      say("No answer: nothing was kept. What you wrote stays here; try again.");
      return false;
    }
    if (person === kept.person) return true;
    const signedIn = asked ? await signIn.ask() : null;
    if (signedIn === signIn.OWN) return true;
    const button = Object.assign(document.createElement("button"), { type: "button", className: "btn btn-small", textContent: "Sign in" });
    button.addEventListener("click", () => sync("check", { asked: true }));
    say(signedIn === signIn.OTHER ? "Somebody else is signed in: nothing was kept. What you wrote stays here." : "You are signed out: nothing was kept. What you wrote stays here.", button);
    return false;
  }

  function apply(answer, action, typedInto) {
    const next = answer.getElementById("editor");
    if (!next) throw new Error("no editor");
    pending = "";
    const waits = next.hasAttribute("data-waits");
    side.inert = waits;
    side.classList.toggle("is-waiting", waits);
    // Only the field that is typed into keeps what it shows; the other side took no input meanwhile.
    const busy = typedInto === "form" && action === "check" ? document.activeElement : null;
    if (!waits) fill(answer.getElementById("editor-form"), busy);
    for (const name of ["form_was", "yaml_was", "dropped"]) form.elements[name].value = next.elements[name].value;
    for (const slot of answer.querySelectorAll("[data-slot]")) replace(slot);
    write(answer.getElementById("source").value);
    if (action !== "check") focusOn(next.dataset.focus);
    source.dispatchEvent(new Event("drawn"));
  }

  function write(text) {
    if (text === source.value) return;
    const { selectionStart, selectionEnd } = source;
    const before = source.value.split("\n");
    earlier.push(source.value);
    undo.disabled = false;
    source.value = text;
    unsaved = true;
    if (document.activeElement === source) {
      source.setSelectionRange(selectionStart, selectionEnd);
      return;
    }
    // Bring the first line that changed into view.
    const line = text.split("\n").findIndex((one, n) => one !== before[n]);
    source.scrollTop = Math.max(0, (line - 4) * parseFloat(getComputedStyle(source).lineHeight));
  }

  function replace(slot) {
    const mine = document.getElementById(slot.id);
    if (!mine || mine.innerHTML === slot.innerHTML) return;
    const open = [...mine.querySelectorAll("details")].map((one) => one.open);
    const focused = mine.contains(document.activeElement);
    mine.replaceChildren(...[...slot.childNodes].map((node) => document.importNode(node, true)));
    mine.querySelectorAll("details").forEach((one, n) => { one.open = open[n] || one.open; });
    if (focused) state.closest(".editor-bar").querySelector("button:not([tabindex])")?.focus();
  }

  function fill(next, busy) {
    const keys = (root) => [...root.querySelectorAll("details.ec")].map((one) => one.dataset.key);
    const before = keys(side);
    const open = new Set([...side.querySelectorAll("details.ec[open]")].map((one) => one.dataset.key));
    if (namesIn(side).join() === namesIn(next).join()) {
      for (const theirs of next.querySelectorAll("[name]")) if (theirs.type !== "submit") fillField(form.elements[theirs.name], theirs, busy);
      for (const check of next.querySelectorAll("[data-key]")) document.getElementById(check.id).dataset.key = check.dataset.key;
      // A new id is the same check still; the same ids in another order are checks that moved.
      const moved = before.join() !== keys(side).join() && [...before].sort().join() === keys(side).sort().join();
      if (moved) for (const check of side.querySelectorAll("details.ec")) check.open = open.has(check.dataset.key);
      return;
    }
    side.replaceChildren(...[...next.childNodes].map((node) => document.importNode(node, true)));
    for (const check of side.querySelectorAll("details.ec")) if (open.has(check.dataset.key)) check.open = true;
  }

  function fillField(mine, theirs, busy) {
    if (!mine || mine.name === "rubric") return;
    if (theirs.hasAttribute("aria-invalid")) mine.setAttribute("aria-invalid", "true");
    else mine.removeAttribute("aria-invalid");
    if (mine === busy) return;
    if (mine.type === "checkbox") { mine.checked = theirs.checked; return; }
    if (mine.tagName === "SELECT" && mine.options.length !== theirs.options.length) {
      mine.replaceChildren(...[...theirs.options].map((one) => document.importNode(one, true)));
    }
    if (mine.value !== theirs.value) mine.value = theirs.value;
  }

  function focusOn(name) {
    if (!name) return;
    const field = document.getElementById(`f-${name}`);
    const check = (field || document.getElementById(name))?.closest("details.ec");
    if (check) check.open = true;
    const target = field || check?.querySelector("summary") || document.getElementById("add-criterion");
    target?.focus();
    target?.scrollIntoView({ block: "nearest" });
  }

  form.addEventListener("input", (event) => {
    const which = sideOf(event.target);
    if (which && event.target.name !== "rubric") changed(which);
  });
  form.addEventListener("focusin", (event) => {
    const which = sideOf(event.target);
    if (which && pending && which !== pending && timer) sync("check");
  });
  form.addEventListener("beforeinput", (event) => {
    const which = sideOf(event.target);
    if (!pending || !which || which === pending) return;
    event.preventDefault();
    state.textContent = "One moment: the other side is being brought over.";
  });
  // What was typed comes back as it is understood, once its field is left.
  form.addEventListener("change", (event) => {
    if (sideOf(event.target) === "form" && event.target.name !== "rubric") changed("form");
  });
  form.addEventListener("submit", (event) => {
    const action = event.submitter?.value || "check";
    if (NATIVE.includes(action) && cleared) {
      if (leaving) event.preventDefault();
      freshen();
      leaving = true;
      return;
    }
    event.preventDefault();
    if (NATIVE.includes(action)) {
      keep(event.submitter);
      return;
    }
    changes += 1;
    if (action !== "check") unsaved = true;
    sync(action, { asked: true });
  });
  // Ask first whether anybody answers: a form sent to a sign-in page is lost.
  async function keep(button) {
    if (!(await isOwn(true)) || !(await sync("check", { asked: true }))) return;
    cleared = true;
    form.requestSubmit(button);
  }
  // From the count of problems to the first of them, where it stands in the form.
  form.addEventListener("click", (event) => {
    const link = event.target.closest("[data-mend]");
    if (!link) return;
    event.preventDefault();
    focusOn(link.dataset.mend);
  });
  undo.addEventListener("click", () => {
    if (!earlier.length) return;
    source.value = earlier.pop();
    undo.disabled = !earlier.length;
    changed("yaml");
    sync("check");
  });
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    event.preventDefault();
    form.requestSubmit(form.querySelector("[value=save]"));
  });
  addEventListener("beforeunload", (event) => { if (unsaved && !leaving) event.preventDefault(); });
  addEventListener("pageshow", () => { leaving = cleared = false; });
})();
