import { $, announce, now, page, post } from "./page.js";

// Check-ins and alerts that wait for the line.

const stored = () => JSON.parse(localStorage.queue ?? "[]");
const store = (items) => (localStorage.queue = JSON.stringify(items));
const mine = () => stored().filter(({ user }) => user === localStorage.user);

export function rememberUser() {
  const { user } = page.root.dataset;
  if (user) localStorage.user = user;
  else if (!page.isShell) localStorage.removeItem("user");
}

function keep(kind, n) {
  const { user } = localStorage;
  if (!user) return announce("Sign in first: nobody is signed in.", "assertive");
  // Ends in a random UUID. crypto.randomUUID is for secure pages only.
  const id = URL.createObjectURL(new Blob()).slice(-36);
  store([...stored(), { user, kind, id, at: new Date(now()).toISOString(), view: page.view, n }]);
  announce("Waiting to be sent", "assertive");
  showLine();
}

let presses = 0, timer;

// `n` is the event that was sent for it, when nobody knows whether that arrived.
export function pressedOffline(element, n) {
  const kind = element.dataset.offline;
  if (kind !== "alert") return keep(kind, n);
  const show = (count) => (element.dataset.fill = (presses = count) / 4);
  clearTimeout(timer);
  timer = setTimeout(show, 3000, 0);
  show(presses + 1);
  if (presses === 4) keep(kind);
}

export async function deliver() {
  const items = mine();
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
  const waiting = mine().length;
  const words = (page.isOnline ? "" : "You are offline. ") + (waiting ? `${waiting} waiting to be sent.` : "");
  const banner = $("#line");
  if (banner.textContent !== words) banner.textContent = words;
}
