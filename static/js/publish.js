// Publishing opens over the page it was asked from. Without this script the link leads to its page;
// what is refused comes back there as well.
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
  dialog.addEventListener("submit", (event) => {
    if (dialog.dataset.sent) event.preventDefault();
    dialog.dataset.sent = "1";
  });
  addEventListener("pageshow", () => { delete dialog.dataset.sent; });
})();
