import { $, announce, newID, now, page, post } from "./page.js";
import { forgetPeople, showPeople } from "./people.js";
import { absolute } from "./time.js";

// Check-ins and alerts that wait for the connection. alert.js sends the alerts.

export const stored = () => JSON.parse(localStorage.queue ?? "[]");
export const store = (items) => (localStorage.queue = JSON.stringify(items));
export const mine = () => stored().filter(({ user }) => user === localStorage.user);

export function rememberUser() {
  const { user } = page.root.dataset;
  if (page.isShell) return;
  const owner = localStorage.peopleOf ?? localStorage.user;
  if (user ? user !== owner : !isUnsentOf(owner)) forgetPeople();
  if (user) localStorage.user = localStorage.peopleOf = user;
  else localStorage.removeItem("user");
}

const isOpenAlert = ({ kind, ended }) => kind === "alert" && !ended;
const isUnsentOf = (owner) => stored().some((item) => isOpenAlert(item) && item.user === owner);

function keep(kind, n) {
  const { user } = localStorage;
  if (!user) return announce("Sign in first: no one is signed in.", "assertive");
  const at = new Date(now()).toISOString();
  store([...stored(), { user, kind, id: newID(), at, view: page.view, n }]);
  announce("Waiting to be sent", "assertive");
  showConnection();
}

// `n` is the number of the event already sent for this press, if one was: it may have arrived.
export const pressedOffline = (element, n) => keep(element.dataset.offline, n);

export async function deliver() {
  const items = mine().filter(({ kind }) => kind !== "alert");
  const { user } = page.root.dataset;
  if (items.length && user) {
    const { delivered, refused } = await sendItems(user, items);
    const settled = [...delivered, ...refused.map(({ id }) => id)];
    store(stored().filter(({ id }) => !settled.includes(id)));
    const words = refused.map((refusal) => refusalWords(items, refusal));
    if (delivered.length) words.unshift("Sent.");
    if (words.length) announce(words.join(" "), refused.length ? "assertive" : "polite");
  }
  showConnection();
}

const nothing = { delivered: [], on: [], refused: [] };

// The answer lists settled items; the others stay in the queue.
export async function sendItems(user, items, limit) {
  const answer = await post("/web/queue", { user, items, version: 2 }, limit);
  return answer?.ok ? answer.json().catch(() => nothing) : nothing;
}

const timeOf = (at) =>
  new Date(at).toLocaleString([], { weekday: "short", hour: "numeric", minute: "2-digit" });

export function refusalWords(items, { id, reason }) {
  const { kind, at } = items.find((item) => item.id === id);
  const action = kind === "alert" ? "The end of your alert" : `Your check-in of ${timeOf(at)}`;
  return `${action} was not accepted. ${reason}`;
}

const checkInWords =
  "Your check-in is NOT SENT yet: your responders don’t know, and your deadline stays.";
const lostWords = "Your alert was NOT SENT. Sign in to send it, or phone someone now.";
let wasLost = false;

export function showConnection() {
  const waiting = mine().filter((item) => !isJustEnded(item));
  const isUnsent = waiting.some(isOpenAlert), isLost = lost().some(isOpenAlert);
  const words = [
    page.isOnline ? "" : offlineWords(),
    isUnsent ? "Your alert is NOT SENT yet." : "",
    waiting.some(isEnd) ? "The end of your alert is NOT SENT yet." : "",
    waiting.some(isCheckIn) ? checkInWords : "",
    waiting.length ? `${waiting.length} waiting to be sent.` : "",
    isLost ? lostWords : "",
    lost().some(isEnd) ? "The end of your alert was NOT SENT. Sign in to send it." : "",
  ];
  const text = words.filter(Boolean).join(" ");
  const banner = $("#connection");
  banner.role = isLost ? "alert" : "status";
  if (banner.textContent !== text) banner.textContent = text;
  const numbers = $("#numbers");
  // The screen of an unsent alert has them itself.
  const isNeeded = isLost || (!page.isOnline && !isUnsent);
  numbers.hidden = !isNeeded || !showPeople($("#numbers ul"));
  if (isLost && !wasLost) {
    numbers.open = true;
    // The sign-in takes the focus, and the numbers would be out of sight.
    requestAnimationFrame(() => scrollTo(0, 0));
  }
  wasLost = isLost;
}

// The shell shows nothing that has an age.
const offlineWords = () =>
  `You are offline.${page.asOf ? ` This page is as of ${absolute(new Date(page.asOf))}.` : ""}`;
const isCheckIn = ({ kind }) => kind === "checkIn";
const isEnd = ({ kind, ended }) => kind === "alert" && ended;
// A connection that works needs less than two seconds: nothing has to be said by then.
const isJustEnded = ({ ended }) => page.isOnline && ended && now() - Date.parse(ended) < 2000;

// Items whose owner was signed out before they were sent.
const lost = () => (page.isShell || page.root.dataset.user ? [] : stored());
