import { $, all, announce, newID, now, page, post, setText } from "./page.js";
import { absolute, onWeekday } from "./time.js";

// The queue. Check-ins, alerts and presses about a journey are stored before they are sent, until
// the server has answered.
// alert.js sends the alerts; copy.js keeps a copy for the service worker.

export const stored = () => JSON.parse(localStorage.queue ?? "[]");
// The page's user. `localStorage.user` is for the offline page only, because another page of this
// browser may show another user by now.
export const present = () => page.root.dataset.user || localStorage.user;
export const mine = () => stored().filter(({ user }) => user === present());

export function store(items) {
  localStorage.queue = JSON.stringify(items);
  dispatchEvent(new Event("queue"));
}

export function rememberUser() {
  const { user } = page.root.dataset;
  if (page.isShell) return;
  const owner = localStorage.peopleOf ?? localStorage.user;
  if (user ? user !== owner : !isUnsentOf(owner)) forgetPeople();
  if (user) localStorage.user = localStorage.peopleOf = user;
  else {
    delete localStorage.alertTrigger;
    if (!localStorage.user) return;
    delete localStorage.user;
    if (!stored().length) indexedDB.deleteDatabase("lifesignal");
  }
}

const isOpenAlert = ({ kind, ended }) => kind === "alert" && !ended;
const isUnsentOf = (owner) => stored().some((it) => isOpenAlert(it) && it.user === owner);

// MARK: Check-ins

// Milliseconds. After `patience` without an answer, the page says that a check-in is not sent.
const patience = 5000, limit = 10000, longestPause = 30000;
// The maximum number of tries in parallel. A new try may start while earlier tries are unanswered.
const triesAtOnce = 3;
let lastTry = -Infinity, lastPress = -Infinity, failures = 0, underWay = 0;

const isSending = () => underWay > 0 && performance.now() - lastPress < patience;

// Stores a press and the presses to keep until the server has answered, and sends them. Returns
// false if the page has to send the press as an event, because the browser can't save it.
function keepPress(name, fields, kept = stored()) {
  const user = present(), waits = !page.isOnline;
  if (!user) return announce("Sign in first: no one is signed in.", "assertive");
  try {
    store([...kept, { user, id: newID(), at: new Date(now()), waits, ...fields }]);
  } catch {
    return waits && announce(`This browser can’t save: your ${name} is NOT SENT.`, "assertive");
  }
  if (fields.kind === "checkIn") lastPress = performance.now();
  failures = 0;
  if (waits) announce("Waiting to be sent", "assertive");
  deliver(true);
}

// Returns false if the page has to send the press. A second press is ignored, because people press
// again if nothing seems to happen.
export const pressCheckIn = () => isSending() || keepPress("check-in", { kind: "checkIn" });

// MARK: Journeys

// Keeps an arrival or, with the present return, 30 minutes (18e5 milliseconds) more. Returns false
// if the page has to send the press. Later returns add up, and take back an unsent arrival. Online,
// a press within 5 seconds of the same unsent press is ignored, because people press again if
// nothing seems to happen.
export function pressJourney(journey, back) {
  const waiting = mine().filter((it) => it.journey === journey && !it.back === !back);
  if (!back) return waiting[0] || keepPress("arrival", { kind: "journey", journey });
  if (waiting.some(isFresh)) return true;
  const times = [{ back }, ...waiting].map((it) => Date.parse(it.back));
  const later = { kind: "journey", journey, back: new Date(Math.max(now(), ...times) + 18e5) };
  const kept = stored().filter((it) => it.journey !== journey || it.back);
  return keepPress("later return", later, kept);
}

// MARK: Sending

// Sends the check-ins and the presses about a journey if a try is due. Called every half second,
// and when the server may be reachable again.
export async function deliver(isBack = false) {
  const items = mine().filter(isPress);
  const { user } = page.root.dataset;
  const pause = underWay ? patience : Math.min(longestPause, 1000 * 2 ** failures);
  const isDue = isBack || performance.now() - lastTry >= pause;
  if (items.length && user && underWay < triesAtOnce && isDue) {
    lastTry = performance.now();
    underWay += 1;
    showCheckIn();
    const report = await sendItems(user, items, limit);
    underWay -= 1;
    settle(report);
  }
  showCheckIn();
  showConnection();
}

// Tells only of items that no other try has settled.
function settle({ delivered, refused }) {
  const ids = [...delivered, ...refused.map(({ id }) => id)], kept = stored();
  const news = kept.filter(({ id }) => ids.includes(id));
  if (news[0]) store(kept.filter((it) => !news.includes(it)));
  failures = ids[0] ? 0 : failures + 1;
  const words = refused.filter(({ id }) => news.some((it) => it.id === id))
    .map((it) => noteRefusal(news, it));
  // A recent press isn't announced, because the page itself confirms it. But "Waiting to be sent"
  // must not stay.
  if (news.some((it) => delivered.includes(it.id) && (it.waits || !isFresh(it))))
    words.unshift("Sent.");
  if (words[0]) announce(words.join(" "), refused[0] ? "assertive" : "polite");
}

// Also called after each change of the page, because the server's markup doesn't know the queue.
export function showCheckIn() {
  const isBusy = isSending();
  for (const button of all("[data-offline=checkIn]")) {
    const place = button.querySelector("span") ?? button;
    if (isBusy) place.dataset.idle ??= place.textContent;
    const words = isBusy ? "Sending…" : place.dataset.idle;
    if (words) setText(place, words);
    if (!isBusy) delete place.dataset.idle;
    button.ariaBusy = isBusy || null;
  }
  const isOnItsWay = mine().some((it) => it.journey && isFresh(it));
  for (const button of all("[data-journey]")) button.ariaBusy = isOnItsWay || null;
}

const nothing = { delivered: [], on: [], refused: [] };

// Resolves with the delivered and the refused items. All other items stay in the queue. All times
// are by this page's clock.
export async function sendItems(user, items, limit) {
  const body = { user, items, version: 2, now: new Date(now()) };
  const answer = await post("/web/queue", body, limit);
  return answer?.ok ? answer.json().catch(() => nothing) : nothing;
}

// Shows a refusal until the user dismisses it, because an announcement disappears. Returns its
// words.
export function noteRefusal(items, { id, reason }) {
  const { kind, at } = items.find((it) => it.id === id);
  const subject = { alert: "The end of your alert", journey: "What you said of your journey" };
  const words = (subject[kind] ?? `Your check-in of ${onWeekday(new Date(at))}`)
    + ` was not accepted. ${reason}`;
  $("#refused p").append(words, " ");
  return words;
}

// MARK: The banner

let wasLost = false;

export function showConnection() {
  const waiting = mine().filter((it) => !isFresh(it));
  const isUnsent = waiting.some(isOpenAlert), isLost = lost().some(isOpenAlert);
  const words = [
    !page.isOnline && offlineWords(),
    isUnsent && "Your alert is NOT SENT yet.",
    waiting.some(isEnd) && "The end of your alert is NOT SENT yet.",
    waiting.some(({ kind }) => kind === "checkIn")
      && "Your check-in is NOT SENT yet: your responders don’t know, and your deadline stays.",
    waiting.some(isArrival) && "Your arrival is NOT SENT yet.",
    waiting.some(({ back }) => back)
      && "Your later return is NOT SENT yet: the earlier one counts until then.",
    waiting.length && `${waiting.length} waiting to be sent.`,
    isLost && "Your alert was NOT SENT. Sign in to send it, or phone someone now.",
    lost().some(isEnd) && "The end of your alert was NOT SENT. Sign in to send it.",
  ];
  const text = words.filter(Boolean).join(" ");
  const banner = $("#connection");
  banner.role = isLost ? "alert" : "status";
  setText(banner, text);
  const known = $("#known");
  if (known) known.hidden = !showPeople($("#known ul"));
  const numbers = $("#numbers");
  // An unsent alert's screen has its own list of numbers.
  const isNeeded = isLost || (!page.isOnline && !isUnsent);
  numbers.hidden = !isNeeded || !showPeople($("#numbers ul"));
  if (isLost && !wasLost) {
    numbers.open = true;
    // Scrolls up, because the focus on the sign-in would move the numbers out of sight.
    requestAnimationFrame(() => scrollTo(0, 0));
  }
  wasLost = isLost;
}

// The offline page gives a time only if it shows people's states.
const offlineWords = () =>
  `You are offline.${page.asOf ? ` This page is as of ${absolute(new Date(page.asOf))}.` : ""}`;
const isArrival = ({ journey, back }) => journey && !back;
const isPress = ({ kind }) => kind !== "alert";
const isEnd = ({ ended }) => ended;
// Recent items get no banner. A working connection sends an end within two seconds, and the button
// shows that a check-in is being sent.
export const isFresh = (it) => page.isOnline
  && (isPress(it) ? now() - Date.parse(it.at) < patience
    : it.ended && now() - Date.parse(it.ended) < 2000);

// Items whose user was signed out before they were sent.
const lost = () => (page.isShell || page.root.dataset.user ? [] : stored());

// MARK: People

// The contacts' names and numbers, the state of dependents, and the emergency number, stored in
// this browser for use offline; device.js adds `own`. They are deleted when someone else signs in.
// After a sign-out they are deleted too, except while an alert of their owner is unsent.

// Each entry has a name, the link of a call, and, if known, the server's markup of the state.
export const people = () => JSON.parse(localStorage.people ?? "[]");
const isWatched = ([, , state]) => state;

// The offline page shows the states that the last online page stored, and gives that page's time.
if (page.isShell && people().some(isWatched)) page.asOf = +localStorage.peopleAsOf;

// True if the list contains a contact's number. Only contacts' numbers begin with a country code.
export const hasContacts = () => people().some(([, href]) => href.startsWith("tel:+"));

export function rememberPeople() {
  const list = $("#phone-numbers");
  if (!list) return;
  const found = all("li", list).map((entry) => {
    const link = entry.querySelector("a"), state = entry.querySelector(".known")?.outerHTML;
    return [link.textContent, link.getAttribute("href")].concat(state ?? []);
  });
  const text = JSON.stringify(found);
  try {
    if (localStorage.people !== text) localStorage.people = text;
    if (page.isOnline) localStorage.peopleAsOf = page.asOf;
  } catch {
    // A full storage is ignored, because the page works without the numbers.
  }
}

export function forgetPeople() {
  for (const name of ["people", "peopleOf", "peopleAsOf", "own"]) delete localStorage[name];
}

// Fills a list with links that call people, and returns how many people the list has. If the list
// has the text of a message, adds links that send the message.
export function showPeople(list) {
  const { message, watched } = list.dataset;
  const known = people().filter((person) => watched === undefined || isWatched(person));
  const text = JSON.stringify(known);
  if (list.people !== text) {
    list.people = text;
    list.replaceChildren(...known.map((person) => entryOf(person, message)));
  }
  return known.length;
}

function entryOf([name, href, state], message) {
  const entry = document.createElement("li");
  const number = href.replace("tel:", "");
  entry.append(linkTo(href, `Call ${name} · ${number}`));
  if (message === undefined) {
    if (state) entry.insertAdjacentHTML("afterbegin", state);
  } else if (number.startsWith("+")) {
    // iOS reads the text after "&", Android after "?".
    const text = `sms:${number}?&body=${encodeURIComponent(message)}`;
    entry.append(linkTo(text, `Text ${name}`));
  }
  return entry;
}

const linkTo = (href, textContent) =>
  Object.assign(document.createElement("a"), { href, className: "button wide", textContent });
