// A picture that a text names is fetched once its link is pressed, and stands in its place. Nothing
// of the text changes, since places in it are counted (evidence); without this file it is a link.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.(".prose a.image-load");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const box = link.closest(".image-off") ?? link.parentElement;
  if (box.dataset.picture === "loading") return;
  box.querySelector(".image-shown")?.remove();
  const image = new Image(), open = document.createElement("a");
  image.referrerPolicy = "no-referrer";
  image.decoding = "async";
  image.alt = box.querySelector(".image-alt")?.textContent || link.textContent.replace("Load the image", "Image");
  image.addEventListener("load", () => {
    box.dataset.picture = "shown";
    if (document.activeElement === link) open.focus({ preventScroll: true });
  });
  image.addEventListener("error", () => {
    box.dataset.picture = "failed";
    open.remove();
  });
  Object.assign(open, { href: link.href, target: "_blank", rel: link.rel, className: "image-shown" });
  open.append(image);
  box.append(open);
  box.dataset.picture = "loading";
  image.src = link.href;
});
