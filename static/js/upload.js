// The upload says how far it is, and a file may be dropped anywhere on the page. Without this
// script the same form sends the same file.
"use strict";

{
  const MB = 1024 * 1024;
  const form = () => document.getElementById("upload");
  const part = (selector) => form().querySelector(selector);
  const size = (bytes) => `${(bytes / MB).toFixed(1)} MB`;

  const say = (words) => {
    const progress = part(".upload-progress");
    progress.hidden = false;
    progress.querySelector("p").textContent = words;
  };

  const ready = () => {
    part(".drop-hint").hidden = false;
  };

  const tooLarge = () => {
    const [file] = part("#id_file").files;
    const most = Number(form().dataset.most);
    if (!file || file.size <= most * MB) return false;
    say(`${file.name} has ${size(file.size)}; ${most} MB is the most. Split it, or write it as Parquet.`);
    return true;
  };

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.elt !== form()) return;
    if (tooLarge()) {
      event.preventDefault();
      return;
    }
    if (!part("#id_file").files.length) return;
    part(".btn-primary").disabled = true;
    say("Uploading …");
  });

  document.addEventListener("htmx:xhr:progress", (event) => {
    if (event.target !== form() || !event.detail.lengthComputable) return;
    const { loaded, total } = event.detail;
    part("progress").value = (100 * loaded) / total;
    say(loaded < total ? `${size(loaded)} of ${size(total)}` : "Looking at the file …");
  });

  const failed = (words) => (event) => {
    if (event.detail.elt !== form()) return;
    part(".btn-primary").disabled = false;
    say(words);
  };
  document.addEventListener(
    "htmx:sendError",
    failed("The connection broke, so nothing was kept. Your choice stands: upload again."),
  );
  document.addEventListener(
    "htmx:responseError",
    failed("The server did not take the file. Look at its size, or load this page again."),
  );
  document.addEventListener("htmx:afterSwap", ready);

  const holdsFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const over = (is) => (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    part("[data-drop]").classList.toggle("is-over", is);
  };
  document.addEventListener("dragover", over(true));
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) over(false)(event);
  });
  document.addEventListener("drop", (event) => {
    if (!holdsFiles(event)) return;
    over(false)(event);
    const input = part("#id_file");
    input.files = event.dataTransfer.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
    input.focus();
  });

  ready();
}
