// Every page of the site: on a host, the browser keeps it, so that it opens without a network. From disk it needs none.
(() => {
  const place = document.currentScript.src;
  const shown = document.getElementById("offline");
  if (!location.protocol.startsWith("http") || !("serviceWorker" in navigator)) return;
  const workers = navigator.serviceWorker;
  workers.register(new URL("worker.js", place)).catch((error) => {
    document.documentElement.dataset.offline = String(error);
  });
  if (!shown) return;
  const [words, button] = [shown.querySelector("p"), shown.querySelector("button")];
  const texts = JSON.parse(document.getElementById("offline-words").textContent);
  workers.addEventListener("message", ({ data }) => {
    shown.hidden = false;
    const key = data.failed ? "failed" : data.left ? (button.disabled ? "fetching" : "some") : "all";
    if (key !== "fetching") button.disabled = false;
    button.hidden = key === "all" || key === "fetching";
    const values = { left: data.left, size: Math.ceil(data.bytes / 1e6) };
    words.textContent = texts[key].replace(/\{(\w+)\}/g, (whole, name) => values[name]);
  });
  const ask = (what) => workers.ready.then(({ active }) => active.postMessage(what));
  button.addEventListener("click", () => {
    button.disabled = true;
    ask("fetch");
  });
  ask("count");
})();
