import { keepItems, keptItems } from "./kept.js";
import { store, stored } from "./offline.js";
import { now, on, page } from "./page.js";

// Keeps a copy of the queue in IndexedDB. The service worker sends the copy while no page is open.
// A killed browser may lose the newest `localStorage`, but not IndexedDB.

// The ids of the items that this tab has seen in the queue. Other tabs may have stored them. `copy`
// deletes only these items, because a killed browser may have lost the others from `localStorage`.
const seen = new Set();

function learn() {
  for (const { id } of stored()) seen.add(id);
}

function copy() {
  learn();
  const items = stored();
  const gone = [...seen].filter((id) => items.every((item) => item.id !== id));
  for (const id of gone) seen.delete(id);
  keepItems(items, gone).catch(() => {});
}

// Restores items that only the copy has. Sending an item twice changes nothing. Sorts the items,
// because the copy is in the order of their random ids.
export async function restore() {
  const kept = await keptItems().catch(() => []);
  const items = stored();
  const isKnown = ({ id, ended }) =>
    items.some((item) => item.id === id && (item.ended || !ended));
  const lost = kept.filter((item) => !isKnown(item));
  const isReplaced = ({ id }) => lost.some((item) => item.id === id);
  const all = [...items.filter((item) => !isReplaced(item)), ...lost];
  if (lost.length) store(all.sort((one, other) => Date.parse(one.at) - Date.parse(other.at)));
  else if (items.length) copy();
}

// Milliseconds. A younger item is still being sent.
const patience = 1000;
let asked = "";

// Asks the browser to wake the service worker once the browser is online, even without an open
// page.
function askForSync(isLeaving = document.hidden) {
  const isLate = ({ at }) => isLeaving || !page.isOnline || now() - Date.parse(at) >= patience;
  const waiting = stored().filter(isLate).map(({ id, ended }) => `${id} ${ended}`).join();
  if (waiting && waiting !== asked)
    navigator.serviceWorker?.ready.then(({ sync }) => sync?.register("queue")).catch(() => {});
  asked = waiting;
}

addEventListener("queue", () => (copy(), askForSync()));
// A tab that stores an item copies it. The other tabs learn its id, because any of them may take it
// back. A frozen tab gets no "storage" event, and learns the ids when it is shown again.
addEventListener("storage", ({ key }) => key === "queue" && learn());
on("visibilitychange", () => (learn(), askForSync()));
setInterval(askForSync, patience);
