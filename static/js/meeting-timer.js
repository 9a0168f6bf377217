// The ruler of a meeting moves with the hour. The server says how much has passed, so that clocks
// of this machine do not matter; here it is only drawn. Without this it shows when the page came.
(() => {
  const timer = document.getElementById("timer");
  if (!timer) return;
  const passed = Number(timer.dataset.passed), minutes = Number(timer.dataset.minutes), whole = minutes * 60;
  const began = performance.now(), words = timer.querySelector("b"), pointer = timer.querySelector(".pointer");
  const strokes = [...timer.querySelectorAll(".done, .todo")].map((line) => ({ line, at: parseFloat(line.getAttribute("x1")) / 100 }));
  // As annotate/meeting_time.py says it: past the end only whole minutes.
  function said(left) {
    if (left > 0) return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left`;
    const over = Math.floor(-left / 60);
    return over ? `${over} min over` : "Time is up";
  }
  function draw() {
    const now = passed + Math.floor((performance.now() - began) / 1000), share = Math.min(1, now / whole);
    words.textContent = said(whole - now);
    pointer.setAttribute("x", `${(100 * share).toFixed(2)}%`);
    for (const { line, at } of strokes) {
      if ((at <= share + 1e-4) !== line.classList.contains("done")) line.setAttribute("class", at <= share + 1e-4 ? "done" : "todo");
    }
  }
  setInterval(draw, 1000);
  addEventListener("pageshow", draw);
})();
