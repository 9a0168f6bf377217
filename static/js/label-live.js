// Before the first paint, so that nothing takes its place afterwards: scripts work on this page.
document.body.classList.add("is-live");
