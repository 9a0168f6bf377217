// The draft of a ballot: kept on the server at every change. “Saved” is said after the server said so.
(() => {
  const { form, closed } = labelPage;
  if (closed) return;
  const indicator = document.getElementById("saved");
  const DELAY = 400, RETRY = 5000, FRESH = 5 * 60 * 1000;
  let dirty = false, timer = 0, flight = null, acknowledged = Date.now(), outcome = "saved", known = form.dataset.revision;

  const show = (state, text) => {
    indicator.dataset.state = state;
    indicator.replaceChildren(text);
  };
  const failed = (text) => {
    outcome = "failed";
    dirty = true;
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

  // What stands here stays here until the person sends it or loads what the other tab saved.
  const refused = ({ reason }) => {
    outcome = reason === "elsewhere" ? reason : "closed";
    show("failed", outcome === "elsewhere" ? "Not saved: changed in another tab" : "Not saved: closed");
    if (outcome === "elsewhere") {
      dirty = true;
      form.dispatchEvent(new Event("elsewhere"));
    }
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
    data.set("known_revision", known);
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
      // It may have arrived all the same, so this page no longer knows what stands.
      known = "";
      return failed("Not saved: no connection");
    }
    if (response.redirected) return signedOut();
    const answer = await response.json().catch(() => null);
    if (response.status === 409) return refused(answer ?? {});
    if (!response.ok || !Number.isInteger(answer?.revision)) {
      known = "";
      return failed("Not saved");
    }
    outcome = "saved";
    known = answer.revision;
    acknowledged = Date.now();
    if (dirty) return;
    const time = new Date(answer.at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
    show("saved", `Saved ${time}`);
  }

  // One request at a time, so that an older draft can never arrive after a newer one.
  async function save() {
    clearTimeout(timer);
    while (flight) await flight;
    if (!dirty || outcome === "elsewhere") return;
    flight = send();
    await flight;
    flight = null;
  }

  const changed = () => {
    dirty = true;
    if (outcome === "elsewhere") return;
    if (outcome === "saved") show("saving", "Saving…");
    clearTimeout(timer);
    timer = setTimeout(save, DELAY);
  };

  // Before the page is left: what is entered is on the server, and the session still holds.
  form.flush = async () => {
    // Whoever sends or saves after having been told lets this tab count.
    if (outcome === "elsewhere") { outcome = "failed"; known = ""; dirty = true; }
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
