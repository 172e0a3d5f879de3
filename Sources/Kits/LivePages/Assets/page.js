
const root = document.documentElement;
const { view, generation, shell, base = "" } = root.dataset;

export const page = {
  root,
  // The path below which the app is reached, such as "/app". Empty if the app has its host to
  // itself. All other paths are without it.
  base,
  view,
  generation,
  // The number of the last event whose effect the page shows.
  settled: 0,
  // True for the page that the service worker caches for offline use.
  isShell: shell === "",
  isOnline: shell !== "",
  // A header that only the server's own pages send.
  header: "X-Live-Pages",
};

// Hooks that the app's first script replaces.
export const app = {
  changed() {},
  // Called after a reconnection, and with each keep-alive.
  reached() {},
  // Called when the browser has its new session cookie.
  signedIn() {},
  lost() {},
  // Called before a whole new page replaces this page. Returns a function to call afterwards.
  replacing() {},
  // Called before an event is sent. Returns the item that the app keeps until the event has
  // arrived, if any.
  fired() {},
  // Called with the item that `fired` returned, after the event has arrived.
  taken() {},
  // Returns true if a press must not be sent.
  takesPress: () => false,
};

// Returns the server's time. `skew` is the estimated lead of the browser's clock, in milliseconds.
export const now = () => Date.now() - (localStorage.skew ?? 0);

let lead;

// Updates the skew with a time that the server sent. Transit time makes the skew look larger than
// it is. The smallest measured skew is therefore the most accurate.
export function noteTime(sent, received = Date.now()) {
  const was = lead;
  lead = Date.now() - performance.now();
  // Ignores earlier measurements if the machine has slept or its clock was set.
  const isNew = !(Math.abs(lead - was) < 1000);
  if (isNew || received - sent < localStorage.skew) localStorage.skew = received - sent;
}

// The server writes its time directly before it sends the page. Subtracts the time since then, in
// which the page and its scripts loaded.
if (root.dataset.now) {
  const { responseStart } = performance.getEntriesByType("navigation")[0] ?? {};
  const age = responseStart ? performance.now() - responseStart : 0;
  noteTime(root.dataset.now, Date.now() - age);
  // The server's time when the page was last known to be current.
  page.asOf = now();
}

// Returns the path of this page.
export const here = () => location.pathname.slice(base.length);

export const $ = (selector) => document.querySelector(selector);
export const all = (selector, within = document) => [...within.querySelectorAll(selector)];
export const on = (name, act) => document.addEventListener(name, act, true);
// Returns a random UUID, the end of an object URL. `crypto.randomUUID` needs a secure page.
export const newID = () => URL.createObjectURL(new Blob()).slice(-36);
export const part = (id) => $(`[data-p="${id}"]`);
// Changes an element's text only if it differs, so that a screen reader doesn't read it again.
export const setText = (element, text) =>
  element.textContent === text || (element.textContent = text);

// Posts a body. Resolves to null if the server doesn't answer, or answers with 429 or 5xx. The
// limit is in milliseconds. The default allows a latency of three seconds each way.
export const post = (path, body, limit = 10000) =>
  fetch(base + path, {
    method: "POST",
    signal: AbortSignal.timeout(limit),
    headers: { [page.header]: "1" },
    body:
      body instanceof Blob ? body : new Blob([JSON.stringify(body)], { type: "application/json" }),
  }).then((answer) => (answer.status < 500 && answer.status !== 429 ? answer : null), () => null);

const places = { polite: $("#polite"), assertive: $("#assertive") };

// How long an announcement stays on the page, in milliseconds.
const shownFor = { polite: 5000, assertive: 12000 };
let stale;

// Announces a text. Empties the region first, so that a screen reader also reads a repeated text.
// Moves the region into an open sheet, because everything outside the sheet is hidden.
export function announce(text, where = "polite") {
  for (const name in places) places[name].textContent = "";
  (all("dialog[open]").at(-1) ?? document.body).append(places[where]);
  setTimeout(() => (places[where].textContent = text), 50);
  clearTimeout(stale);
  stale = setTimeout(() => (places[where].textContent = ""), shownFor[where]);
}
