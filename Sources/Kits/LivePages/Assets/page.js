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
  // Names the header that tells the server that a page of its own asks.
  header: "X-Live-Pages",
};

// What an app adds: its first script puts functions in the place of these.
export const app = {
  // After each change of the page.
  changed() {},
  // The server can be reached, or has shown that it still can.
  reached() {},
  // The browser has its new cookie.
  signedIn() {},
  lost() {},
  // Before something that was done is sent. Returns what to keep of it whether or not it arrives.
  fired() {},
  // What `fired` returned has arrived.
  taken() {},
  // True for a press that is not to be sent.
  takesPress: () => false,
  // Something marked `data-offline` was sent, and nobody knows whether it arrived.
  unanswered() {},
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
    headers: { [page.header]: "1" },
    body:
      body instanceof Blob ? body : new Blob([JSON.stringify(body)], { type: "application/json" }),
  }).then((answer) => (answer.status < 500 && answer.status !== 429 ? answer : null), () => null);

const places = { polite: $("#polite"), assertive: $("#assertive") };

// Milliseconds. What was said is gone afterwards for screen readers, too.
const shownFor = { polite: 5000, assertive: 12000 };
let stale;

// Emptied before, so that the same words are said again. What is not in an open sheet is neither
// seen nor heard.
export function announce(text, where = "polite") {
  for (const name in places) places[name].textContent = "";
  (all("dialog[open]").at(-1) ?? document.body).append(places[where]);
  setTimeout(() => (places[where].textContent = text), 50);
  clearTimeout(stale);
  stale = setTimeout(() => (places[where].textContent = ""), shownFor[where]);
}
