// The page's own work: it puts changes in place, sends the person's events, keeps time, and keeps
// check-ins and alerts while there is no connection. The server decides everything else.
import { endOffline, endWasTaken, keepEnd, sendAlert, show, showPresses } from "./alert.js";
import { keepLayers } from "./back.js";
import { connectionLost, listen } from "./connection.js";
import { fillDrafts } from "./drafts.js";
import { fire } from "./events.js";
import "./hold.js";
import { deliver, pressedOffline, rememberUser, showConnection } from "./offline.js";
import { $, all, announce, app, page } from "./page.js";
import { rememberPeople } from "./people.js";
import { tick } from "./time.js";

page.header = "X-LifeSignal";

let scanner, push, loading, pushed = {}, hasNewCookie = false;
const opened = [];

async function afterChange() {
  rememberUser();
  rememberPeople();
  showPresses();
  show();
  showConnection();
  for (const dialog of all("dialog[data-modal]:not([open])")) {
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
    const isWrong = field.getAttribute("aria-invalid") === "true";
    if (isWrong && !field.wasWrong) field.focus();
    field.wasWrong = isWrong;
  }
  keepLayers();
  watchTabs();
  fillDrafts();
  tick();
  watchPush();
  const video = $("video[data-camera]");
  if (video) scanner ??= import("./scanner.js");
  (await scanner)?.scan(video);
}

// A page that is new has not reported how the browser stands with messages; one that nobody is
// signed in on any more ends them. After a sign-in the cookie and the user come in either order.
function watchPush() {
  const { view, root: { dataset: { user } } } = page;
  const hasLeft = pushed.user && !user;
  const isOther = user !== pushed.user && hasNewCookie;
  const isNews = view !== pushed.view || hasLeft || isOther;
  pushed = { view, user };
  if (hasLeft) hasNewCookie = false;
  if (isNews) syncPush();
}

// The first page of somebody new comes without this script.
function syncPush() {
  if (page.isShell || !(push || page.root.dataset.user || localStorage.push)) return;
  loading ??= import("./push.js").then((script) => (push = script), () => (loading = undefined));
  loading.then(() => push?.sync());
}

function reached() {
  deliver();
  sendAlert(true);
  push?.resume();
}

function fired({ dataset }, kind, value) {
  const ends = kind === "tap" || value === 1 ? dataset.ends : undefined;
  if (ends) keepEnd(ends);
  return ends;
}

// Presses for an alert are counted by alert.js, with and without a connection.
function takesPress(element) {
  const { offline, asksToEnd, push: wish } = element.dataset;
  if (wish && !(page.isOnline && push)) {
    // The server would wait for a report that nobody makes.
    announce("Available when you’re back online.");
    return true;
  }
  if (wish) push.press(wish);
  if (offline === "alert") return true;
  if (page.isOnline || (!offline && asksToEnd === undefined)) return false;
  if (offline) pressedOffline(element);
  else endOffline(element);
  return true;
}

// Before the browser has its new cookie, reports are refused.
function signedIn() {
  hasNewCookie = true;
  deliver();
  syncPush();
}

Object.assign(app, {
  changed: afterChange, reached, signedIn, lost: showConnection,
  fired, taken: endWasTaken, takesPress, unanswered: pressedOffline,
});

// The bar above the tabs needs their height, since they wrap where text is large. Where both would
// cover too much of a low screen, the tabs scroll with the page.
let tabs;
function measure() {
  const height = tabs?.offsetHeight ?? 0;
  const isBelow = height < (tabs?.offsetWidth ?? 0);
  const isLow = isBelow && height + ($(".alert-bar")?.offsetHeight ?? 0) > innerHeight * 0.4;
  page.root.toggleAttribute("data-low", isLow);
  page.root.style.setProperty("--tabs", isBelow ? `${isLow ? 0 : height}px` : "");
}
const size = new ResizeObserver(measure);
function watchTabs() {
  const shown = $(".tabs");
  if (shown === tabs) return;
  size.disconnect();
  tabs = shown;
  if (tabs) size.observe(tabs);
}
addEventListener("resize", measure);

function pressBrief() {
  if (document.hidden || !page.isOnline) return;
  for (const button of all("[data-brief]")) {
    button.seconds = (button.seconds ?? 0) + 1;
    if (button.seconds === Number(button.dataset.brief)) fire(button, "tap");
  }
}

if (!page.isShell) listen();
else if (navigator.onLine) connectionLost();
afterChange();
deliver();
sendAlert();
setInterval(tick, 1000);
setInterval(pressBrief, 1000);
// Four times a second, so that the countdown of the presses is shown on time.
setInterval(sendAlert, 250);
page.root.dataset.ready = "";
navigator.serviceWorker?.register("/sw.js").catch(() => {});
