// Publishing opens over the page it was asked from. Without this script the link leads to its page;
// what is refused comes back there as well. On that page the script only looks after the note.
(() => {
  const dialog = document.createElement("dialog");
  dialog.className = "dialog publish-dialog";
  dialog.setAttribute("aria-labelledby", "publish-title");

  async function open(link) {
    const address = new URL(link.href);
    address.searchParams.set("part", "1");
    const response = await fetch(address);
    const answer = new DOMParser().parseFromString(await response.text(), "text/html");
    // Published meanwhile, signed out, or anything else than the dialog: its own page tells.
    if (response.redirected || !response.ok || !answer.getElementById("publish")) {
      location.assign(link.href);
      return;
    }
    dialog.replaceChildren(...[...answer.body.childNodes].map((node) => document.importNode(node, true)));
    if (!dialog.isConnected) document.body.append(dialog);
    dialog.showModal();
    const note = dialog.querySelector("textarea");
    note.focus();
    const end = note.value.indexOf("\n");
    note.setSelectionRange(end < 0 ? note.value.length : end, end < 0 ? note.value.length : end);
    dialog.scrollTop = 0;
  }

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-close]") && dialog.open) {
      event.preventDefault();
      dialog.close();
      return;
    }
    const link = event.target.closest("a[data-publish]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(link).catch(() => location.assign(link.href));
  });
  // Ask first whose session holds: a note that is sent to a sign-in page is lost.
  let step = "";
  async function send(form, button) {
    const person = await kept.whoIsHere();
    const isOwn = person === kept.person || (person !== null && (await signIn.ask()) === signIn.OWN);
    step = isOwn ? "cleared" : "";
    if (isOwn) {
      form.elements.csrfmiddlewaretoken.value = kept.token() || form.elements.csrfmiddlewaretoken.value;
      form.requestSubmit(button);
      return;
    }
    const line = form.querySelector(".not-sent") ?? Object.assign(document.createElement("p"), { className: "error not-sent", role: "alert" });
    line.textContent = person === null ? "The server cannot be reached just now: nothing was published. Your note stays here." : "Nothing was published: you are signed out. Your note stays here.";
    form.querySelector(".actions").before(line);
  }
  document.addEventListener("submit", (event) => {
    const form = event.target.closest(".publish form");
    if (!form) return;
    if (step === "cleared") {
      step = "sent";
      return;
    }
    event.preventDefault();
    if (step) return;
    step = "asking";
    send(form, event.submitter);
  });
  addEventListener("pageshow", () => { step = ""; });
})();
