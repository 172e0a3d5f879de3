// What the parts of the script share: where things are on the page, and what the page knows of itself.

const root = document.documentElement;

export const page = {
  root,
  // Of the server's page; nothing else is sent to it.
  view: root.dataset.view,
  generation: Number(root.dataset.generation),
  // The last event whose effect is on the page.
  settled: 0,
  // The service worker's page: nobody listens to it.
  isShell: "shell" in root.dataset,
  isOnline: !("shell" in root.dataset) && navigator.onLine,
};

export const $ = (selector, within = document) => within.querySelector(selector);
export const all = (selector, within = document) => [...within.querySelectorAll(selector)];
export const part = (id) => $(`[data-p="${id}"]`);

// A line that swallows what it is given counts as cut: nobody who calls for help is left waiting for it.
export const post = (path, body) =>
  fetch(path, {
    method: "POST",
    signal: AbortSignal.timeout(body instanceof Blob ? 60000 : 8000),
    headers: { "X-LifeSignal": "1", "Content-Type": body instanceof Blob ? body.type : "application/json" },
    body: body instanceof Blob ? body : JSON.stringify(body),
  });

export function announce(text, where = "polite") {
  const place = document.getElementById(where);
  place.textContent = "";
  setTimeout(() => (place.textContent = text), 50);
}
