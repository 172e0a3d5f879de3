import { announce, page, post } from "./page.js";

// Without a line: check-ins and alerts are kept, and sent when it is back.

const stored = () => JSON.parse(localStorage.queue ?? "[]");
const mine = () => stored().filter((item) => item.user === localStorage.user);

export function rememberUser() {
  if (page.isShell) return;
  if (page.root.dataset.user) localStorage.user = page.root.dataset.user;
  else localStorage.removeItem("user");
}

export function keep(kind) {
  const user = localStorage.user;
  if (!user) return announce("Sign in first: nobody is signed in on this device.", "assertive");
  // randomUUID is for secure pages only; a server at home may not be one.
  const id = "10000000-1000-4000-8000-100000000000".replace(/[018]/g, (c) =>
    (c ^ (crypto.getRandomValues(new Uint8Array(1))[0] & (15 >> (c / 4)))).toString(16));
  localStorage.queue = JSON.stringify([...stored(), { user, kind, id, at: new Date().toISOString() }]);
  announce(kind === "alert" ? "Alert: waiting to be sent" : "Check-in: waiting to be sent", "assertive");
  showLine();
}

let quarters = 0, quarterTimer;
export function pressedOffline(element) {
  if (element.dataset.offline !== "alert") return keep("checkIn");
  const show = (count) => element.style.setProperty("--fill", (quarters = count) / 4);
  clearTimeout(quarterTimer);
  show(quarters + 1);
  quarterTimer = setTimeout(show, 3000, 0);
  if (quarters === 4) keep("alert");
}

export async function deliver() {
  const items = mine();
  if (!items.length || page.isShell || !page.root.dataset.user) return showLine();
  const answer = await post("/web/queue", { user: page.root.dataset.user, items }).catch(() => null);
  if (!answer?.ok) return;
  const isDone = ({ status }) => status < 500 && ![401, 408, 429].includes(status);
  const done = (await answer.json()).filter(isDone).map(({ id }) => id);
  localStorage.queue = JSON.stringify(stored().filter(({ id }) => !done.includes(id)));
  if (done.length) announce("What was waiting has been sent");
  showLine();
}

export function showLine() {
  const waiting = mine().length;
  const words = [page.isOnline ? "" : "You are offline.", waiting ? `${waiting} waiting to be sent.` : ""].filter(Boolean).join(" ");
  const banner = document.getElementById("line");
  page.root.classList.toggle("offline", !page.isOnline);
  if (banner.textContent !== words) banner.textContent = words;
  banner.hidden = !words;
}
