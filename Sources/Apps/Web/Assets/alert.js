import {
  hasContacts, mine, noteRefusal, present, sendItems, showConnection, showPeople, store, stored,
} from "./offline.js";
import { $, all, announce, newID, now, on, page, setText } from "./page.js";

// The call for help. This script counts the presses and stores the alert until the server has it,
// so a lost connection loses nothing. The script also makes the alert's id, which makes sending
// idempotent.

const rules = $("#ask-alert-template").dataset;
const needed = +rules.presses;
const startedOver = `Started over: press ${needed} times`;
// Milliseconds. After `patience` without an answer, the page says that the alert has not been sent.
// A second try then starts in parallel.
const patience = 5000, longestPause = 5000, startedOverFor = 8000;
const triesAtOnce = 3;

// MARK: How an alert is raised in this browser

// A raw value of `AlertTrigger`. Only this browser stores the value, because presses also count
// offline.
const trigger = () => localStorage.alertTrigger ?? "four-presses";
const asks = () => trigger() === "confirmation";
// `AlertTrigger.timeout` in milliseconds.
const pressTimeout = () =>
  1000 * (trigger() === "four-presses" ? rules.timeout : rules.longTimeout);

const choices = "input[name=alert-trigger]";
const showTrigger = () => all(choices).forEach((it) => (it.checked = it.value === trigger()));

on("change", ({ target }) => {
  if (!target.matches(choices)) return;
  localStorage.alertTrigger = target.value;
  presses = 0;
  hasStartedOver = false;
  showPresses();
});

// MARK: Presses

let presses = 0, lastPress = 0, hasStartedOver = false;

const time = () => performance.now();
// Only for screen readers. The button shows the text to everyone else.
const say = (text) => ($("#presses").textContent = text);

// `again` is true for the card about an alert that another device has ended. It asks once.
export function pressAlert(again) {
  if (unsent()) return show();
  if (again || asks()) return ask();
  hasStartedOver = false;
  lastPress = time();
  presses += 1;
  const seconds = pressTimeout() / 1000;
  if (presses < needed) say(`${presses} of ${needed}. After ${seconds} seconds it starts over.`);
  else raise();
  showPresses();
}

// Also called after each change of the page, because the server's markup doesn't contain the
// presses.
export function showPresses() {
  showTrigger();
  if (presses && time() - lastPress >= pressTimeout()) {
    presses = 0;
    hasStartedOver = true;
    say(`${startedOver}.`);
  }
  if (hasStartedOver && time() - lastPress > pressTimeout() + startedOverFor) {
    hasStartedOver = false;
    say("");
  }
  for (const button of all(".alert-button")) {
    button.style.setProperty("--fill", presses / needed);
    const place = button.querySelector("small");
    place.dataset.idle ??= place.textContent;
    const usual = asks() ? rules.confirm : place.dataset.idle;
    const idle = hasStartedOver ? startedOver : usual;
    setText(place, presses ? countWords() : idle);
  }
}

function countWords() {
  const left = Math.max(1, Math.ceil((pressTimeout() - (time() - lastPress)) / 1000));
  return `${presses} of ${needed} · starts over in ${left} s`;
}

// MARK: The question that replaces four presses

function ask() {
  if ($("#ask-alert")) return;
  const question = $("#ask-alert-template").content.firstElementChild.cloneNode(true);
  const leave = () => {
    question.close();
    question.remove();
  };
  const [call, cancel] = all("button", question);
  call.addEventListener("click", () => {
    leave();
    raise();
  });
  cancel.addEventListener("click", leave);
  question.addEventListener("cancel", leave);
  document.body.append(question);
  question.showModal();
}

// MARK: Sending

// Alerts are also kept in memory, because the storage may be full or forbidden.
let kept = [];
let firstTry = time(), lastTry = -Infinity, underWay = 0, failures = 0, hasFailed = page.isShell;
// True if the server has the alert, but the page doesn't show it yet.
let isOn = false;

// The alerts of the signed-in user. Empty while signed out, so that no alert covers the sign-in.
const own = () => kept.filter(({ user }) => user === present());
// Oldest first: the end of an earlier alert must be sent before a new alert.
function waiting() {
  const items = mine().filter(({ kind }) => kind === "alert");
  return [...items, ...own().filter(({ id }) => items.every((it) => it.id !== id))];
}
const unsent = () => waiting().find(({ ended }) => !ended);

function raise() {
  presses = 0;
  const user = present();
  if (!user) return announce("No one is signed in here: phone someone now.", "assertive");
  // The end of an earlier alert may still be under way. The queue now sends that end first.
  // Otherwise, the server could merge the new alert with the one that ends.
  told.clear();
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

export function forget(id) {
  kept = kept.filter((it) => it.id !== id);
  save(stored().filter((it) => it.id !== id));
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
  const items = waiting().filter((it) => !isUnderWay(it));
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
  // If the user has ended the alert since this try began, the item stays. The server must also
  // receive the end.
  if (!latest || latest.ended !== item.ended) return;
  forget(item.id);
  if (!item.ended) isOn = open.includes(item.id);
  else if (refusal) announce(noteRefusal(items, refusal));
  // Announces no end while another alert of the user is open.
  else if (!unsent() && !open.includes(item.id)) announce("The end of your alert has been sent.");
}

// Sends the alerts if a try is due. Called every quarter of a second, and when the server may be
// reachable again.
export function sendAlert(isBack = false) {
  const since = time() - lastTry;
  const pause = isBack ? 500 : Math.min(longestPause, 1000 * 2 ** failures);
  if (since >= (underWay ? patience : pause)) send();
  showPresses();
  show();
  if (waiting().length) showConnection();
}

// MARK: The end of an alert that the server has

// The time when the page sent the end of an alert to the server, by the alert's id.
const told = new Map();

// Stores the end before the page sends it, so that a reload doesn't lose the end.
export function keepEnd(id) {
  const ended = new Date(now()).toISOString();
  const user = present();
  const known = { user, kind: "alert", id, at: ended, isKnown: true };
  const item = waiting().find((it) => it.id === id) ?? known;
  if (!user || item.ended) return;
  keep({ ...item, ended });
  told.set(id, time());
  failures = 0;
  sendAlert();
}

// Removes the stored end once the server has accepted the page's event.
export const endWasTaken = (id) => told.delete(id) && forget(id);

// True while the end that the page has sent may still arrive. The queue sends the end only
// afterwards.
const isUnderWay = ({ id }) => page.isOnline && time() - told.get(id) < patience;

// MARK: The screen

let dialog;

const find = (name) => $(`#calling-${name}`);

function open() {
  dialog = find("template").content.firstElementChild.cloneNode(true);
  document.body.append(dialog);
  find("end").addEventListener("held", end);
  find("end-tap").addEventListener("click", ({ target }) => askTwice(target, end));
  find("continue").addEventListener("click", leave);
}

function close() {
  if (!dialog) return;
  dialog.close();
  dialog.remove();
  dialog = undefined;
  // When the page's heading appeared, the open dialog prevented it from taking the focus.
  $(".alert-screen [data-focus]")?.focus({ preventScroll: true });
}

function leave() {
  isOn = false;
  show();
}

const words = {
  sending: ["Sending your alert…", "If this takes long, phone someone."],
  unsent: [
    "NOT SENT: phone someone now",
    "We don’t know whether anyone was told. We keep trying.",
  ],
  on: ["Your alert is on", "LifeSignal has received it."],
};

// Returns false if there is nothing to show.
function stateOfAlert() {
  const item = unsent();
  if (item) {
    isOn = false;
    // The server has the alert, and only its answer was lost.
    if ($(`[data-asks-to-end="${item.id}"]`)) return forget(item.id);
    // The page asks about this alert, and the dialog must not cover the question.
    if ($("#unsent-title")) return false;
    return hasFailed || time() - firstTry >= patience ? "unsent" : "sending";
  }
  if ($(".alert-screen")) isOn = false;
  return isOn && "on";
}

export function show() {
  const state = stateOfAlert();
  if (!state) return close();
  if (!dialog) open();
  if (dialog.dataset.state !== state) {
    dialog.dataset.state = state;
    const [title, text] = words[state];
    find("title").textContent = title;
    find("words").textContent = text;
    find("try").textContent = "";
  }
  showPeople(find("people"));
  const hasArrived = state === "on";
  find("nobody").hidden = hasArrived || hasContacts();
  find("ending").hidden = find("people").hidden = hasArrived;
  find("continue").hidden = !hasArrived;
  if (state === "unsent") showLastTry();
  if (!dialog.open) dialog.showModal();
}

function showLastTry() {
  const seconds = Math.round((time() - lastTry) / 1000);
  const text = underWay ? "Trying now…" : `Last try ${seconds} s ago.`;
  if (Number.isFinite(seconds)) setText(find("try"), text);
}

// The server may have the alert already, so the queue sends the alert and then its end.
function end() {
  const item = unsent();
  if (!item) return;
  // Another unsent alert gets a new screen, whose button has not asked yet.
  close();
  keep({ ...item, ended: new Date(now()).toISOString() });
  lastTry = -Infinity;
  sendAlert();
  announce("Your alert has ended.");
}

const twice = "Press again to end it";

// The button's own text tells whether it has asked, so that no press answers the question of
// another button or alert.
function askTwice(button, act) {
  const { textContent } = button;
  if (textContent === twice) return act();
  button.textContent = twice;
  setTimeout(() => (button.textContent = textContent), pressTimeout());
}

export const endOffline = (button) => askTwice(button, () => keepEnd(button.dataset.asksToEnd));

// Another page of this browser has changed the queue: the button was pressed there, or the alert
// was sent.
addEventListener("storage", show);
