// What the scripts of the meeting share. `labelPage` is the name under which label-passages.js finds
// the texts of a page: here the responses by their own names, since everybody looks at one screen.
const labelPage = { sides: [...document.querySelectorAll("[data-part]")].map((box) => box.dataset.part || "text") };
const meeting = (() => {
  const form = document.getElementById("sorting"), line = document.getElementById("say");
  const FADES = 6000;
  let fading = 0;
  document.body.classList.add("is-scripted");
  // A field of a dialog that has just closed keeps the focus until the page is drawn next: keys that
  // come before that are meant for the page.
  const gone = (element) => element?.closest?.("dialog:not([open])");
  const typing = (element) => Boolean(element?.matches?.("textarea, select, input:not([type=radio], [type=checkbox])")) && !gone(element);
  const say = (words, { stays = false } = {}) => {
    clearTimeout(fading);
    line.textContent = words;
    if (!stays) fading = setTimeout(() => { line.textContent = ""; }, FADES);
  };
  // Signing in over the page, or in another tab, renews the token of its forms.
  document.addEventListener("submit", ({ target }) => {
    const field = target.elements.csrfmiddlewaretoken, token = kept.token();
    if (field && token) field.value = token;
  }, true);
  if (line.textContent.trim()) say(line.textContent.trim()); else line.textContent = "";
  return { form, say, typing, open: () => document.querySelector("dialog[open]") };
})();
