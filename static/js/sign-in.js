// Signing in over a page that stays as it is: the form comes from the server and goes back by fetch.
const signIn = (() => {
  const PATH = "/login/here/", OWN = 0, OTHER = 1;
  let dialog = null, waiting = null;

  const made = (name, words = "", more = {}) => Object.assign(document.createElement(name), { textContent: words, ...more });
  function build() {
    dialog = made("dialog", "", { className: "dialog", id: "sign-in" });
    dialog.setAttribute("aria-labelledby", "sign-in-head");
    // No key of the page acts in here.
    dialog.addEventListener("keydown", (event) => event.stopPropagation());
    dialog.addEventListener("close", () => { waiting?.(null); waiting = null; });
    dialog.addEventListener("submit", sent);
    document.body.append(dialog);
  }
  const end = (result) => {
    waiting?.(result);
    waiting = null;
    dialog.close();
  };
  function say(head, words, parts, buttons) {
    const title = made("h2", head, { id: "sign-in-head", tabIndex: -1 });
    const body = made("div", "", { className: "sign-in-body" }), row = made("div", "", { className: "actions" });
    body.append(...parts);
    row.append(...buttons.map(([name, act]) => {
      const button = made("button", name, { type: "button", className: "btn" });
      button.addEventListener("click", act);
      return button;
    }));
    dialog.replaceChildren(title, made("p", words, { className: "note" }), body, row);
  }
  const LATER = ["Not now", () => end(null)];

  // The form, or an error of it, as the server wrote it.
  const partsOf = (html) => [...new DOMParser().parseFromString(html, "text/html").body.childNodes];
  async function load({ over = false } = {}) {
    let response;
    try {
      response = await fetch(over ? `${PATH}?form` : PATH, { headers: { Accept: "text/html" } });
    } catch {
      return say("Signed out", "The server cannot be reached just now. What you entered stays on this page.", [], [["Try again", () => load({ over })], LATER]);
    }
    // Somebody has signed in already, in another tab.
    if (response.headers.get("Content-Type")?.startsWith("application/json")) return met((await response.json()).person);
    const own = "Sign in again to go on. What you entered stays on this page and is saved then.";
    const words = over ? "Sign in as the person who entered what stands on this page." : own;
    say("Signed out", words, partsOf(await response.text()), [LATER]);
  }

  function met(person) {
    if (person === kept.person) return end(OWN);
    const before = "This page belongs to the person who was signed in before.";
    const choices = [["Sign in as that person", () => load({ over: true }).then(focus)], ["Leave it", () => end(OTHER)]];
    say("Somebody else is signed in", `${before} Nothing of it is sent under another name; what was entered stays here.`, [], choices);
    focus();
  }

  async function sent(event) {
    event.preventDefault();
    const form = event.target, button = form.querySelector("button"), body = new FormData(form);
    button.disabled = true;
    let response;
    try {
      // Another tab may have renewed the token since the form was loaded.
      body.set("csrfmiddlewaretoken", kept.token() || body.get("csrfmiddlewaretoken"));
      response = await fetch(form.action, { method: "POST", body, headers: { Accept: "text/html" } });
    } catch {
      button.disabled = false;
      return wrong(form, "The server cannot be reached just now. Try again.");
    }
    if (response.ok) return met((await response.json()).person);
    const parts = response.status === 422 || response.status === 429 ? partsOf(await response.text()) : null;
    if (!parts) {
      await load({ over: true });
      return wrong(dialog.querySelector("form"), "That did not arrive whole. Try once more.");
    }
    if (response.status === 429) {
      say("Too many tries", "What you entered stays on this page.", parts, [["Try again", () => load({ over: true }).then(focus)], LATER]);
      dialog.querySelector(".sign-in-body").setAttribute("role", "alert");
      return focus();
    }
    form.replaceWith(...parts);
    dialog.querySelector("[type=password]")?.focus();
  }
  function wrong(form, words) {
    const line = made("p", words, { className: "error" });
    line.setAttribute("role", "alert");
    form?.prepend(line);
  }
  const focus = () => (dialog.querySelector("input:not([type=hidden])") ?? dialog.querySelector("h2"))?.focus();

  return {
    OWN,
    OTHER,
    get isOpen() { return Boolean(dialog?.open); },
    // OWN: the same person again. OTHER: somebody else. null: put off. `typing`: whoever is in the
    // middle of a sentence does not find it in a field for the password.
    async ask({ typing = false } = {}) {
      if (!dialog) build();
      if (dialog.open) return null;
      const answer = new Promise((resolve) => { waiting = resolve; });
      say("Signed out", "What you entered stays on this page.", [], [LATER]);
      dialog.showModal();
      dialog.querySelector("h2").focus();
      await load();
      if (dialog.open && (typing || !dialog.contains(document.activeElement))) dialog.querySelector("h2").focus();
      if (dialog.open && !typing) focus();
      return answer;
    },
  };
})();
