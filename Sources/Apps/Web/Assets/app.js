// Updates the page with the server's changes, and sends the user's events. Keeps times current.
// Stores check-ins, alerts and presses about a journey. The server decides everything else.
import {
  endOffline, endWasTaken, forget, keepEnd, pressAlert, sendAlert, show, showPresses,
} from "./alert.js";
import { keepLayers } from "./back.js";
import { connectionLost, listen } from "./connection.js";
import {
  deliver, pressCheckIn, pressJourney, rememberPeople, rememberUser, showCheckIn, showConnection,
} from "./offline.js";
import { $, all, announce, app, page } from "./page.js";
import { tick } from "./time.js";

page.header = "X-LifeSignal";

let scanner, push, device, loading, pushed = {}, hasNewCookie = false;
const opened = [];

async function afterChange() {
  rememberUser();
  rememberPeople();
  showPresses();
  show();
  showCheckIn();
  showConnection();
  for (const dialog of all("dialog[data-modal]:not([open])")) {
    // Closed while offline. The server doesn't know it yet.
    if (dialog.sent > page.settled) continue;
    dialog.opener = document.activeElement;
    opened.push(dialog);
    dialog.showModal();
  }
  while (opened.at(-1)?.isConnected === false) {
    const { opener } = opened.pop();
    if (document.activeElement === document.body) opener.focus({ preventScroll: true });
  }
  for (const field of all("[data-focus]")) field.wasShown ||= !field.focus();
  for (const field of all("input,textarea")) {
    const isWrong = field.ariaInvalid === "true";
    if (isWrong && !field.wasWrong) field.focus();
    field.wasWrong = isWrong;
  }
  keepLayers();
  watchBars();
  tick();
  watchPush();
  showDevice();
  // Loaded only for a passkey, so that a first visit doesn't load the script.
  if ($("[data-passkey]")) import("./passkey.js").then((it) => it.ask(), () => {});
  const video = $("video[data-camera]");
  if (video) scanner ??= import("./scanner.js");
  (await scanner)?.scan(video);
}

// Loads device.js once a user has signed in, so that a first visit doesn't load the script. After
// the end of a session, `left` has the alert that device.js shows.
async function showDevice() {
  const { user, left } = localStorage;
  if (user || left) device ??= import("./device.js").catch(() => (device = undefined));
  (await device)?.show();
}

// Reports the push subscription to the server for each new page. Ends the subscription after a
// sign-out. After a sign-in, the cookie may arrive before or after the user's id.
function watchPush() {
  const { view, root: { dataset: { user } } } = page;
  const hasLeft = pushed.user && !user;
  const isNews = view !== pushed.view || hasLeft || (user !== pushed.user && hasNewCookie);
  pushed = { view, user };
  hasNewCookie &&= !hasLeft;
  if (isNews) syncPush();
}

// Loads push.js only if needed, so that a first visit doesn't load the script.
function syncPush() {
  if (page.isShell || !(push || page.root.dataset.user || localStorage.push)) return;
  loading ??= import("./push.js").then((it) => (push = it), () => (loading = undefined));
  loading.then(() => push?.sync());
}

function reached() {
  rememberPeople();
  deliver(true);
  sendAlert(true);
  push?.resume();
}

function fired({ dataset }, kind, value) {
  // Forgets the alerts before the server has the answer, because the page may be closed before.
  // While offline, the page doesn't send the answer.
  if (page.isOnline) dataset.forgets?.split(" ").forEach(forget);
  const ends = kind === "tap" || value === 1 ? dataset.ends : undefined;
  if (ends) keepEnd(ends);
  return ends;
}

// Returns true if the page doesn't send the press as an event. These scripts handle presses for an
// alert, a check-in or a journey, online and offline. If the browser can't save a check-in or a
// press about a journey, an online page sends the press as an event.
function takesPress(element) {
  const { offline, asksToEnd, journey, back, push: wish } = element.dataset;
  if (wish && !(page.isOnline && push)) {
    // The press isn't sent, because the server would wait for a report that never arrives.
    announce("Available when you’re back online.");
    return true;
  }
  if (wish) push.press(wish);
  if (offline === "checkIn") return pressCheckIn() !== false;
  if (journey) return pressJourney(journey, back) !== false;
  if (offline) pressAlert("again" in element.dataset);
  else if (page.isOnline || !asksToEnd) return false;
  else endOffline(element);
  return true;
}

// Called when the browser has its new cookie. Without the cookie, the server refuses reports.
function signedIn() {
  hasNewCookie = true;
  deliver(true);
  syncPush();
}

Object.assign(app, {
  changed: afterChange, reached, signedIn, lost: showConnection,
  fired, taken: endWasTaken, takesPress,
});

// The alert bar is above the tabs, whose height grows with the text. If both would cover more than
// a third of the screen, the tabs scroll with the page. The banner at the top and the fixed bars
// may together cover a third. Otherwise, the banner scrolls with the page.
let bars = [];
const heightOf = (bar) => bar?.offsetHeight ?? 0;
function measure() {
  const [tabs, alert, banner] = bars, most = innerHeight / 3, { root } = page;
  // The attributes make the bars lower, and lower bars would always seem to fit. They are removed
  // before measuring.
  delete root.dataset.low;
  delete root.dataset.flat;
  const isBelow = heightOf(tabs) < tabs?.offsetWidth;
  const isLow = isBelow && heightOf(tabs) + heightOf(alert) > most;
  const stays = (isBelow && !isLow ? heightOf(tabs) : 0) + (isBelow ? heightOf(alert) : 0);
  root.toggleAttribute("data-large", parseFloat(getComputedStyle(root).fontSize) * 14 > innerWidth);
  root.toggleAttribute("data-low", isLow);
  root.toggleAttribute("data-full", stays + heightOf(banner) > most);
  root.style.setProperty("--tabs", isBelow ? `${isLow ? 0 : heightOf(tabs)}px` : "");
  root.toggleAttribute(
    "data-flat", $(".ring")?.getBoundingClientRect().bottom + scrollY > innerHeight - stays);
}
const size = new ResizeObserver(measure);
function watchBars() {
  const shown = [".tabs", ".alert-bar", "#connection"].map($);
  if (shown.every((bar, index) => bar === bars[index])) return;
  size.disconnect();
  bars = shown;
  for (const bar of bars) if (bar) size.observe(bar);
}
addEventListener("resize", measure);

if (!page.isShell) listen();
else if (navigator.onLine) connectionLost();
afterChange();
deliver(true);
sendAlert();
setInterval(tick, 1000);
setInterval(deliver, 500, false);
// Four times a second, so that the countdown of the presses is on time.
setInterval(sendAlert, 250);
page.root.dataset.ready = "";
// Keeps the browser's offer to install the app, so that the button in the settings can use it.
addEventListener("beforeinstallprompt", (event) => {
  event.preventDefault();
  page.installation = event;
  showDevice();
});
// The service worker has sent the queue, so the server has the items that are still stored here.
navigator.serviceWorker?.addEventListener("message", ({ data }) => data.isQueueSent && reached());
navigator.serviceWorker?.register(`${page.base}/sw.js`).catch(() => {});
