// What the parts of the script share.

const root = document.documentElement;
const { view, generation, shell } = root.dataset;

export const page = {
  root,
  view,
  generation,
  // The last event whose effect is shown.
  settled: 0,
  // The service worker's page.
  isShell: shell !== undefined,
  isOnline: shell === undefined,
};

// By the server's clock, as far as this browser has seen it: its own may be wrong.
if (root.dataset.now) localStorage.skew = Date.now() - root.dataset.now;
export const now = () => Date.now() - (localStorage.skew ?? 0);

export const $ = (selector) => document.querySelector(selector);
export const all = (selector, within = document) => [...within.querySelectorAll(selector)];
export const on = (name, act) => document.addEventListener(name, act, true);
// Ends in a random UUID. crypto.randomUUID is for secure pages only.
export const newID = () => URL.createObjectURL(new Blob()).slice(-36);
export const part = (id) => $(`[data-p="${id}"]`);

// Null for no answer, or an excuse. A connection that swallows what it is given counts as cut;
// one with three seconds each way does not.
export const post = (path, body, limit = 10000) =>
  fetch(path, {
    method: "POST",
    signal: AbortSignal.timeout(limit),
    headers: { "X-LifeSignal": "1" },
    body: body instanceof Blob ? body : new Blob([JSON.stringify(body)],
      { type: "application/json" }),
  }).then((answer) => (answer.status < 500 && answer.status !== 429 ? answer : null), () => null);

const places = { polite: $("#polite"), assertive: $("#assertive") };

// Emptied before, so that the same words are said again. What is not in an open sheet is neither
// seen nor heard.
export function announce(text, where = "polite") {
  for (const name in places) places[name].textContent = "";
  (all("dialog[open]").at(-1) ?? document.body).append(places[where]);
  setTimeout(() => (places[where].textContent = text), 50);
}
