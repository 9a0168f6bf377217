// The draft of a ballot: kept on the server at every change. “Saved” is said after the server said so.
(() => {
  const form = document.getElementById("ballot");
  if (!form || form.hasAttribute("data-closed")) return;
  const indicator = document.getElementById("saved");
  const DELAY = 400, RETRY = 5000, FRESH = 5 * 60 * 1000;
  let dirty = false, timer = 0, flight = null, acknowledged = Date.now(), outcome = "saved";

  const show = (state, text) => {
    indicator.dataset.state = state;
    indicator.replaceChildren(text);
  };
  const failed = (text) => {
    outcome = "failed";
    show("failed", text);
    clearTimeout(timer);
    timer = setTimeout(save, RETRY);
  };
  const signedOut = () => {
    failed("Not saved: ");
    outcome = "signed-out";
    const link = document.createElement("a");
    link.href = form.dataset.login;
    link.target = "_blank";
    link.textContent = "sign in again";
    indicator.append(link);
  };

  // Signing in again in another tab renews the token; the cookie has the one that holds.
  const renewToken = () => {
    const cookie = document.cookie.split("; ").find((pair) => pair.startsWith("csrftoken="));
    if (cookie) form.elements.csrfmiddlewaretoken.value = cookie.slice("csrftoken=".length);
  };

  // Answers to checks that a gate has switched off are kept, should the gate change; the preference is not.
  const body = () => {
    const data = new FormData(form);
    for (const input of form.querySelectorAll(".cell[disabled] :checked")) data.set(input.name, input.value);
    return data;
  };

  async function send() {
    dirty = false;
    show("saving", "Saving…");
    renewToken();
    let response;
    try {
      // What outlives the page may hold 64 KB; while the page stays, a long rationale may hold more.
      response = await fetch(form.dataset.draft, { method: "POST", body: body(), keepalive: document.visibilityState === "hidden" });
    } catch {
      dirty = true;
      return failed("Not saved: no connection");
    }
    if (response.redirected) { dirty = true; return signedOut(); }
    if (response.status === 409) { outcome = "closed"; return show("failed", "Not saved: closed"); }
    const answer = response.ok ? await response.json().catch(() => null) : null;
    if (!answer || !Number.isInteger(answer.revision)) {
      dirty = true;
      return failed("Not saved");
    }
    outcome = "saved";
    acknowledged = Date.now();
    if (dirty) return;
    const time = new Date(answer.at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
    show("saved", `Saved ${time}`);
  }

  // One request at a time, so that an older draft can never arrive after a newer one.
  async function save() {
    clearTimeout(timer);
    while (flight) await flight;
    if (!dirty) return;
    flight = send();
    await flight;
    flight = null;
  }

  const changed = () => {
    dirty = true;
    if (outcome === "saved") show("saving", "Saving…");
    clearTimeout(timer);
    timer = setTimeout(save, DELAY);
  };

  // Before the page is left: what is entered is on the server, and the session still holds.
  form.flush = async () => {
    if (Date.now() - acknowledged > FRESH) dirty = true;
    await save();
    renewToken();
    return outcome;
  };
  form.addEventListener("input", changed);
  form.addEventListener("answered", changed);
  document.addEventListener("visibilitychange", () => { if (document.visibilityState === "hidden") save(); });
  addEventListener("beforeunload", (event) => { if (dirty && outcome !== "saved" && outcome !== "closed") event.preventDefault(); });
})();
