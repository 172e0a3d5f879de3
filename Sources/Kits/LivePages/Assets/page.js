// State and helpers shared by the scripts.

const root = document.documentElement;
const { view, generation, shell } = root.dataset;

export const page = {
  root,
  view,
  generation,
  // The number of the last event whose effect the page shows.
  settled: 0,
  // True for the page that the service worker keeps.
  isShell: shell !== undefined,
  isOnline: shell === undefined,
  // The server's time when the page was last known to be current.
  asOf: undefined,
  // This header tells the server that one of its own pages asks.
  header: "X-Live-Pages",
};

// Hooks for the app: its first script replaces these functions.
export const app = {
  // Called after each change of the page.
  changed() {},
  // The server can be reached, or has just answered again.
  reached() {},
  // The browser has its new cookie.
  signedIn() {},
  lost() {},
  // Called before an event is sent. Returns what the app keeps until the event has arrived.
  fired() {},
  // The event for which `fired` returned this has arrived.
  taken() {},
  // True for a press that is not to be sent.
  takesPress: () => false,
  // A press marked `data-offline` was sent and not answered: it may have arrived.
  unanswered() {},
};

// The server's time, as this browser last saw it: the browser's own clock may be wrong.
if (root.dataset.now) localStorage.skew = Date.now() - root.dataset.now;
export const now = () => Date.now() - (localStorage.skew ?? 0);
if (root.dataset.now) page.asOf = now();

export const $ = (selector) => document.querySelector(selector);
export const all = (selector, within = document) => [...within.querySelectorAll(selector)];
export const on = (name, act) => document.addEventListener(name, act, true);
// An object URL ends in a random UUID; crypto.randomUUID exists on secure pages only.
export const newID = () => URL.createObjectURL(new Blob()).slice(-36);
export const part = (id) => $(`[data-p="${id}"]`);

// Null when the server gave no answer, is overloaded or fails. The limit is in milliseconds: a
// connection with a latency of three seconds each way stays below it.
export const post = (path, body, limit = 10000) =>
  fetch(path, {
    method: "POST",
    signal: AbortSignal.timeout(limit),
    headers: { [page.header]: "1" },
    body:
      body instanceof Blob ? body : new Blob([JSON.stringify(body)], { type: "application/json" }),
  }).then((answer) => (answer.status < 500 && answer.status !== 429 ? answer : null), () => null);

const places = { polite: $("#polite"), assertive: $("#assertive") };

// Milliseconds. Afterwards the text is gone for screen readers, too.
const shownFor = { polite: 5000, assertive: 12000 };
let stale;

// The region is emptied first, so that a screen reader repeats the same words. While a sheet is
// open, only regions within it are seen and heard.
export function announce(text, where = "polite") {
  for (const name in places) places[name].textContent = "";
  (all("dialog[open]").at(-1) ?? document.body).append(places[where]);
  setTimeout(() => (places[where].textContent = text), 50);
  clearTimeout(stale);
  stale = setTimeout(() => (places[where].textContent = ""), shownFor[where]);
}
