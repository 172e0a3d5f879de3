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
    const answer = await post("/web/queue", { user, items });
    const done = answer?.ok ? await answer.json() : [];
    store(stored().filter(({ id }) => !done.includes(id)));
    if (done.length) announce("What was waiting has arrived");
  }
  showLine();
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
