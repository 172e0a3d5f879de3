import { keepItems, keptItems } from "./kept.js";
import { store, stored } from "./offline.js";
import { now, on, page } from "./page.js";

// Keeps a copy of the queue in IndexedDB. The service worker sends the copy while no page is open.
// A killed browser may lose the newest `localStorage`, but not IndexedDB.

let ids = [];

function copy() {
  const items = stored();
  const gone = ids.filter((id) => items.every((item) => item.id !== id));
  ids = items.map(({ id }) => id);
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
on("visibilitychange", () => askForSync());
setInterval(askForSync, patience);
