// The state and the helpers that the scripts share.

const root = document.documentElement;
const { view, generation, shell } = root.dataset;

export const page = {
  root,
  view,
  generation,
  // The number of the last event whose effect the page shows.
  settled: 0,
  // True for the page that the service worker keeps for use while offline.
  isShell: shell !== undefined,
  isOnline: shell === undefined,
  // The server's time when the page was last known to be current.
  asOf: undefined,
  // This header tells the server that a request comes from one of its own pages.
  header: "X-Live-Pages",
};

// Hooks for the app: its first script replaces these functions.
export const app = {
  // Called after each change of the page.
  changed() {},
  // Called when the server can be reached: after a reconnection, and with each keep-alive.
  reached() {},
  // Called when the browser has its new cookie.
  signedIn() {},
  lost() {},
  // Called before a whole new page replaces this one. Returns the function to call afterwards.
  replacing() {},
  // Called before an event is sent. Returns the item that the app keeps until the event has
  // arrived, if any.
  fired() {},
  // Called with the item that `fired` returned, once its event has arrived.
  taken() {},
  // Returns true if a press must not be sent.
  takesPress: () => false,
};

// Returns the server's time, because the browser's clock may be wrong. `skew` is the last estimate
// of how far the browser's clock is ahead, in milliseconds.
export const now = () => Date.now() - (localStorage.skew ?? 0);

let lead;

// Updates the skew with a time that the server has sent. The time spent in transit makes the
// browser's clock look further ahead than it is, so the smallest measured skew is the most
// accurate.
export function noteTime(sent, received = Date.now()) {
  const was = lead;
  lead = Date.now() - performance.now();
  // Earlier measurements are invalid if the machine was asleep or its clock was set.
  const isNew = !(Math.abs(lead - was) < 1000);
  if (isNew || received - sent < localStorage.skew) localStorage.skew = received - sent;
}

// The server writes its time just before it sends the page. The time that has since passed, while
// the page and its scripts were loading, is subtracted.
if (root.dataset.now) {
  const { responseStart } = performance.getEntriesByType("navigation")[0] ?? {};
  const age = responseStart ? performance.now() - responseStart : 0;
  noteTime(root.dataset.now, Date.now() - age);
  page.asOf = now();
}

export const $ = (selector) => document.querySelector(selector);
export const all = (selector, within = document) => [...within.querySelectorAll(selector)];
export const on = (name, act) => document.addEventListener(name, act, true);
// Returns a random UUID, taken from the end of an object URL. `crypto.randomUUID` exists only on
// secure pages.
export const newID = () => URL.createObjectURL(new Blob()).slice(-36);
export const part = (id) => $(`[data-p="${id}"]`);

// Posts a body. Resolves to null if the server doesn't answer, is overloaded or fails. The limit is
// in milliseconds. The default is enough for a latency of three seconds each way.
export const post = (path, body, limit = 10000) =>
  fetch(path, {
    method: "POST",
    signal: AbortSignal.timeout(limit),
    headers: { [page.header]: "1" },
    body:
      body instanceof Blob ? body : new Blob([JSON.stringify(body)], { type: "application/json" }),
  }).then((answer) => (answer.status < 500 && answer.status !== 429 ? answer : null), () => null);

const places = { polite: $("#polite"), assertive: $("#assertive") };

// How long an announcement is shown, in milliseconds. Afterwards it is also removed for screen
// readers.
const shownFor = { polite: 5000, assertive: 12000 };
let stale;

// Announces a text. The region is emptied first, so that a screen reader also reads a text that is
// the same as before. While a sheet is open, only regions inside it are visible and read out, so
// the region is moved into the sheet.
export function announce(text, where = "polite") {
  for (const name in places) places[name].textContent = "";
  (all("dialog[open]").at(-1) ?? document.body).append(places[where]);
  setTimeout(() => (places[where].textContent = text), 50);
  clearTimeout(stale);
  stale = setTimeout(() => (places[where].textContent = ""), shownFor[where]);
}
