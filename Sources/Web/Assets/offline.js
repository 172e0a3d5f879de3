import { $, announce, newID, now, page, post } from "./page.js";
import { forgetPeople, showPeople } from "./people.js";

// Check-ins and alerts that wait for the line. Alerts are sent by alert.js.

export const stored = () => JSON.parse(localStorage.queue ?? "[]");
export const store = (items) => (localStorage.queue = JSON.stringify(items));
export const mine = () => stored().filter(({ user }) => user === localStorage.user);

export function rememberUser() {
  const { user } = page.root.dataset;
  if (page.isShell) return;
  if (user !== localStorage.user) forgetPeople();
  if (user) localStorage.user = user;
  else localStorage.removeItem("user");
}

function keep(kind, n) {
  const { user } = localStorage;
  if (!user) return announce("Sign in first: nobody is signed in.", "assertive");
  const at = new Date(now()).toISOString();
  store([...stored(), { user, kind, id: newID(), at, view: page.view, n }]);
  announce("Waiting to be sent", "assertive");
  showLine();
}

// `n` is the event that was sent for it, when nobody knows whether that arrived.
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
  showLine();
}

const nothing = { delivered: [], on: [], refused: [] };

// What became of them; those that are not in it stay.
export async function sendItems(user, items, limit) {
  const answer = await post("/web/queue", { user, items, version: 2 }, limit);
  return answer?.ok ? answer.json().catch(() => nothing) : nothing;
}

const hour = { hour: "numeric", minute: "2-digit" };

export function refusalWords(items, { id, reason }) {
  const { kind, at } = items.find((item) => item.id === id);
  const time = new Date(at).toLocaleString([], { weekday: "short", ...hour });
  const action = kind === "alert" ? "The end of your alert" : `Your check-in of ${time}`;
  return `${action} was not accepted. ${reason}`;
}

export function showLine() {
  const waiting = mine();
  const isUnsent = waiting.some(({ kind, ended }) => kind === "alert" && !ended);
  const words = [
    page.isOnline ? "" : "You are offline.",
    isUnsent ? "Your alert is NOT SENT yet." : "",
    waiting.length ? `${waiting.length} waiting to be sent.` : "",
    lostAlert() ? "Your alert was NOT SENT. Sign in to send it, or phone someone now." : "",
  ];
  const text = words.filter(Boolean).join(" ");
  const banner = $("#line");
  if (banner.textContent !== text) banner.textContent = text;
  // The screen of an unsent alert has them itself.
  $("#numbers").hidden = page.isOnline || isUnsent || !showPeople($("#numbers ul"));
}

// Nobody is signed in here any more, and somebody's alert has never arrived.
const lostAlert = () =>
  !page.isShell && !page.root.dataset.user && stored().some(({ kind, ended }) => kind === "alert" && !ended);
