import { mine, refusalWords, sendItems, showConnection, store, stored } from "./offline.js";
import { $, all, announce, newID, now, on, page } from "./page.js";
import { hasContacts, showPeople } from "./people.js";

// The call for help. Presses are counted here, and the alert is kept here until the server has it,
// so that no connection can lose either. Sending it twice changes nothing: its id is made here.

const needed = 4;
// Milliseconds. The first is `AlertRules.tapTimeout`; after the second a try that has no answer
// is joined by another one, and the person is told that nobody knows of the alert yet.
const pressTimeout = 4000, patience = 5000, longestPause = 5000;
const triesAtOnce = 3;

// MARK: Presses

let presses = 0, lastPress = 0, hasStartedOver = false;

const time = () => performance.now();
// Heard and not shown: the button shows it.
const say = (text) => ($("#presses").textContent = text);

export function pressAlert() {
  if (unsent()) return show();
  hasStartedOver = false;
  lastPress = time();
  presses += 1;
  if (presses < needed) say(`${presses} of ${needed}. After 4 seconds it starts over.`);
  else {
    presses = 0;
    raise();
  }
  showPresses();
}

// Also after each change of the page, which knows nothing of presses.
export function showPresses() {
  const isOver = presses > 0 && time() - lastPress >= pressTimeout;
  if (isOver) {
    presses = 0;
    hasStartedOver = true;
    say("Started over: press 4 times.");
  }
  if (hasStartedOver && time() - lastPress > 3 * pressTimeout) {
    hasStartedOver = false;
    say("");
  }
  for (const button of all(".alert-button")) {
    button.style.setProperty("--fill", presses / needed);
    const place = button.querySelector("small");
    place.dataset.idle ??= place.textContent;
    const idle = hasStartedOver ? "Started over: press 4 times" : place.dataset.idle;
    const text = presses ? countWords() : idle;
    if (place.textContent !== text) place.textContent = text;
  }
}

function countWords() {
  const left = Math.max(1, Math.ceil((pressTimeout - (time() - lastPress)) / 1000));
  return `${presses} of ${needed} · starts over in ${left} s`;
}

// MARK: Sending

// Alerts are kept in memory as well: a storage that is full or forbidden must not lose them.
let kept = [];
let firstTry = time(), lastTry = -Infinity, underWay = 0, failures = 0, hasFailed = page.isShell;
// The server has it, and the page does not show it yet.
let isOn = false;

const present = () => page.root.dataset.user || localStorage.user;
// The alerts of the signed-in user; none while nobody is, so that no alert covers the sign-in.
const own = () => kept.filter(({ user }) => user === present());
// Oldest first: a new alert goes out after the end of an earlier one.
function waiting() {
  const items = mine().filter(({ kind }) => kind === "alert");
  return [...items, ...own().filter(({ id }) => items.every((item) => item.id !== id))];
}
const unsent = () => waiting().find(({ ended }) => !ended);

function raise() {
  const user = present();
  if (!user) {
    return announce("No one is signed in here: phone someone now.", "assertive");
  }
  keep({ user, kind: "alert", id: newID(), at: new Date(now()).toISOString() });
  firstTry = time();
  failures = 0;
  hasFailed = !page.isOnline;
  say("");
  show();
  send();
}

function keep(item) {
  const others = (items) => items.filter(({ id }) => id !== item.id);
  kept = [...others(kept), item];
  save([...others(stored()), item]);
}

function forget(id) {
  kept = kept.filter((item) => item.id !== id);
  save(stored().filter((item) => item.id !== id));
}

function save(items) {
  try {
    store(items);
  } catch {
    announce("This browser can’t save anything: keep this page open.", "assertive");
  }
  showConnection();
}

async function send() {
  const items = waiting().filter((item) => !isUnderWay(item));
  if (!items.length || underWay >= triesAtOnce) return;
  lastTry = time();
  underWay += 1;
  const report = await sendItems(items[0].user, items, 30000);
  underWay -= 1;
  for (const item of items) settle(item, items, report);
  show();
}

function settle(item, items, { delivered, on: open, refused }) {
  const refusal = refused.find(({ id }) => id === item.id);
  if (!refusal && !delivered.includes(item.id)) {
    hasFailed = true;
    failures += 1;
    return;
  }
  const latest = waiting().find(({ id }) => id === item.id);
  // It has been ended since this try began: that has to reach the server, too.
  if (!latest || latest.ended !== item.ended) return;
  forget(item.id);
  if (!item.ended) isOn = open.includes(item.id);
  else if (refusal) announce(refusalWords(items, refusal));
  // Somebody who calls for help again is not told of an end.
  else if (!unsent()) announce("The end of your alert has been sent.");
}

// Tries now, if it is time for it: every second, and whenever the server may be back.
export function sendAlert(isBack = false) {
  const since = time() - lastTry;
  const pause = isBack ? 500 : Math.min(longestPause, 1000 * 2 ** failures);
  if (since >= (underWay ? patience : pause)) send();
  showPresses();
  show();
  if (waiting().length) showConnection();
}

// MARK: The end of an alert that the server has

// The time when the page told the server of an alert's end, by the alert's id.
const told = new Map();

// Kept before the server is told, so that no reload can lose it.
export function keepEnd(id) {
  const ended = new Date(now()).toISOString();
  const user = present();
  if (!user || waiting().some((item) => item.id === id && item.ended)) return;
  const known = { user, kind: "alert", id, at: ended, isKnown: true };
  keep({ ...(waiting().find((item) => item.id === id) ?? known), ended });
  told.set(id, time());
  failures = 0;
  sendAlert();
}

// The server does the rest.
export const endWasTaken = (id) => told.delete(id) && forget(id);

// The page's own event has a few seconds before the queue goes out as well.
const isUnderWay = ({ id }) => page.isOnline && time() - told.get(id) < patience;

// MARK: The screen

let dialog;

function open() {
  dialog = $("#calling-template").content.firstElementChild.cloneNode(true);
  document.body.append(dialog);
  $("#calling-end").addEventListener("held", end);
  $("#calling-end-tap").addEventListener("click", endWithoutHolding);
  $("#calling-continue").addEventListener("click", leave);
}

function close() {
  if (!dialog) return;
  dialog.close();
  dialog.remove();
  dialog = undefined;
  // Below the dialog the page could not take the focus when it came.
  $(".alert-screen [data-focus]")?.focus({ preventScroll: true });
}

function leave() {
  isOn = false;
  show();
}

const words = {
  sending: ["Sending your alert…", "No one knows about it yet. If this takes long, phone someone."],
  unsent: [
    "NOT SENT: phone someone now",
    "LifeSignal can’t be reached, so no one knows that you need help. We keep trying.",
  ],
  on: ["Your alert is on", "LifeSignal has received it."],
};

function stateOfAlert() {
  const item = unsent();
  if (item) {
    isOn = false;
    // Asked about: the question must not be covered.
    if ($("#unsent-title")) return undefined;
    return hasFailed || time() - firstTry >= patience ? "unsent" : "sending";
  }
  if ($(".alert-screen")) isOn = false;
  return isOn ? "on" : undefined;
}

export function show() {
  const state = stateOfAlert();
  if (!state) return close();
  if (!dialog) open();
  if (dialog.dataset.state !== state) {
    dialog.dataset.state = state;
    const [title, text] = words[state];
    $("#calling-title").textContent = title;
    $("#calling-words").textContent = text;
    $("#calling-try").textContent = "";
  }
  showPeople($("#calling-people"));
  $("#calling-nobody").hidden = state === "on" || hasContacts();
  $("#calling-ending").hidden = state === "on";
  $("#calling-people").hidden = $("#calling-continue").hidden = false;
  $(state === "on" ? "#calling-people" : "#calling-continue").hidden = true;
  if (state === "unsent") showLastTry();
  if (!dialog.open) dialog.showModal();
}

function showLastTry() {
  const seconds = Math.round((time() - lastTry) / 1000);
  const text = underWay ? "Trying now…" : `Last try ${seconds} s ago.`;
  const place = $("#calling-try");
  if (Number.isFinite(seconds) && place.textContent !== text) place.textContent = text;
}

// It may have reached the server all the same: both go out, one after the other.
function end() {
  const item = unsent();
  if (!item) return;
  keep({ ...item, ended: new Date(now()).toISOString() });
  announce("Your alert has ended.");
  lastTry = -Infinity;
  sendAlert();
}

let asked = -Infinity;

function askTwice(button, act) {
  if (time() - asked < pressTimeout) return act();
  asked = time();
  const { textContent } = button;
  button.textContent = "Press again to end it";
  setTimeout(() => (button.textContent = textContent), pressTimeout);
}

const endWithoutHolding = ({ currentTarget }) => askTwice(currentTarget, end);

// Ends an alert that is on, on its page, without a connection.
export const endOffline = (button) => askTwice(button, () => keepEnd(button.dataset.asksToEnd));

on("click", (event) => event.target.closest("[data-offline=alert]") && pressAlert());
// Another page of this browser has pressed, or sent it.
addEventListener("storage", show);
