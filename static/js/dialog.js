// A [data-opens] control opens the dialog of that id over the page. Without a script it is an
// ordinary link or button that leads to a page of its own.
(() => {
  document.addEventListener("click", (event) => {
    const control = event.target.closest("[data-opens]");
    const dialog = control && document.getElementById(control.dataset.opens);
    if (!dialog || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    dialog.showModal();
  });
})();
