// What a page does by itself: it listens for changes and puts them in place, sends back what a person does, keeps time,
// and holds on to check-ins and alerts while there is no line. Everything else is decided by the server.
import { applyPage, applyPatch } from "./changes.js";
import { fire, flush, isSendingFile, resolveAgain, useLine } from "./events.js";
import "./hold.js";
import { deliver, rememberUser, showLine } from "./offline.js";
import { $, all, announce, page, post } from "./page.js";
import { tick } from "./time.js";

// The line. Silence for longer than two signs of life is a broken line, whatever the browser thinks of it.

let source, lastHeard = 0, retry = 0;

function listen() {
  source?.close();
  source = new EventSource(`/web/stream?view=${page.view}&generation=${page.generation}`);
  source.onerror = () => lineLost();
  const on = (name, act) => source.addEventListener(name, (event) => {
    act(JSON.parse(event.data));
    heard();
  });
  on("alive", (n) => (page.settled = n));
  on("patch", (patch) => (applyPatch(patch) ? afterChange() : listen()));
  on("page", (whole) => {
    applyPage(whole);
    afterChange();
    resolveAgain();
  });
  on("session", async (ticket) => {
    const answer = await post("/web/session", { view: page.view, ticket }).catch(() => null);
    if (!answer?.ok) location.reload();
  });
}

function heard() {
  const isFirst = !lastHeard;
  lastHeard = Date.now();
  retry = 0;
  if (page.isOnline && !isFirst) return;
  page.isOnline = true;
  showLine();
  flush();
  deliver();
}

function lineLost() {
  source?.close();
  page.isOnline = false;
  showLine();
  clearTimeout(lineLost.timer);
  lineLost.timer = setTimeout(reconnect, Math.min(15000, 300 * 2 ** retry++) * (0.7 + Math.random() * 0.6));
}

async function reconnect() {
  if (page.isShell) return location.reload();
  // An event source does not tell why it was refused; a page that nobody knows any more has to be loaded again.
  const answer = await post("/web/events", { view: page.view, events: [] }).catch(() => null);
  if (answer?.status === 401 || answer?.status === 403) return reload();
  answer ? listen() : lineLost();
}

function reload() {
  // Not for ever: a browser that keeps no cookies would never come to an end.
  const last = Number(sessionStorage.reloaded ?? 0);
  if (Date.now() - last < 10000) return announce("This page could not be connected. Are cookies allowed?", "assertive");
  sessionStorage.reloaded = Date.now();
  location.reload();
}

setInterval(() => {
  tick();
  if (page.isOnline && lastHeard && Date.now() - lastHeard > 35000) lineLost();
}, 1000);

addEventListener("offline", lineLost);
addEventListener("online", () => { retry = 0; lineLost(); });

// What has to be done after every change.

let opener;
function afterChange() {
  rememberUser();
  for (const dialog of all("dialog[data-modal]:not([open])")) {
    opener = document.activeElement;
    dialog.showModal();
  }
  if (opener && !$("dialog[open]")) {
    if (opener.isConnected && document.activeElement === document.body) opener.focus({ preventScroll: true });
    opener = undefined;
  }
  for (const field of all("[data-focus]")) if (!field.wasShown) { field.wasShown = true; field.focus(); }
  tick();
  useCamera();
}

let scanner;

async function useCamera() {
  const video = $("video[data-camera]");
  if (video) scanner ??= import("./scanner.js");
  (await scanner)?.scan(video, fire, isSendingFile);
}

useLine({ listen, reload, lost: lineLost });
if (!page.isShell) {
  if (page.root.dataset.path !== location.pathname) history.replaceState(null, "", page.root.dataset.path);
  rememberUser();
  listen();
} else if (navigator.onLine) {
  lineLost();
}
showLine();
afterChange();
navigator.serviceWorker?.register("/sw.js").catch(() => {});
