import { apply } from "./changes.js";
import { flush, refusals, showBusy, startOver } from "./events.js";
import { app, here, noteTime, now, on, page, post } from "./page.js";

// The connection to the server. Changes arrive as an event stream. A stream counts as broken after
// 35 seconds of silence, which is more than two of the server's keep-alive intervals.

let source, retry = 0, timer;

function wait(time, act) {
  clearTimeout(timer);
  timer = setTimeout(act, time);
}

const acts = {
  alive(n) {
    page.settled = n;
    showBusy();
    if (page.isOnline) app.reached();
  },
  patch(patch) {
    const putAside = patch.view && app.replacing();
    if (!apply(patch)) return listen();
    putAside?.();
    showBusy();
    app.changed();
    if (patch.view) startOver();
  },
  time: (sent) => noteTime(sent),
  seen(number) {
    unconfirmed = number;
    // Waits, because the change with this number may arrive later than the number.
    setTimeout(confirmSight, 1000);
  },
  rest: () => document.hidden && (source.close(), clearTimeout(timer)),
  async session(ticket) {
    if ((await post("/web/session", { view: page.view, ticket }))?.ok) app.signedIn();
    else location.reload();
  },
};

export function listen() {
  source?.close();
  source = new EventSource(`${page.base}/web/stream?view=${page.view}`
    + `&generation=${page.generation}&path=${encodeURIComponent(here())}`
    + `&zone=${encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone ?? "")}`);
  source.onerror = connectionLost;
  wait(35000, connectionLost);
  for (const name in acts) {
    source.addEventListener(name, ({ data }) => {
      wait(35000, connectionLost);
      page.asOf = now();
      acts[name](JSON.parse(data));
      if (page.isOnline) return;
      page.isOnline = true;
      retry = 0;
      flush();
      app.reached();
    });
  }
}

// Resolves to null if the server can't be reached. `seen` is the number that the page confirms.
const probe = (seen) => post("/web/events", { view: page.view, events: [], seen });

let unconfirmed = 0;

// Confirms to the server that the page has shown the changes. Does nothing while the page is
// hidden.
async function confirmSight() {
  const seen = unconfirmed;
  if (!seen || document.hidden || !page.isOnline) return;
  if ((await probe(seen))?.ok && unconfirmed === seen) unconfirmed = 0;
}

export function connectionLost() {
  source?.close();
  page.isOnline = false;
  showBusy();
  app.lost();
  wait(Math.min(15000, 300 * 2 ** retry++) * (0.7 + Math.random() * 0.6), reconnect);
}

async function reconnect() {
  // Asks by a request, because an `EventSource` doesn't report why the server refused it. A page
  // that the server doesn't know must be reloaded.
  const answer = await probe();
  if (!answer) connectionLost();
  else if (answer.ok && !page.isShell) listen();
  else reload();
}

export function reload() {
  // Reloads at most once in 10 seconds. Without this limit, a browser that blocks cookies would
  // reload endlessly.
  if (Date.now() - sessionStorage.reloaded < 10000) return connectionLost();
  sessionStorage.reloaded = Date.now();
  location.reload();
}

on("visibilitychange", () => {
  if (document.hidden) return;
  // A page that was frozen, or that has closed its stream, may show old states. Its timers stood
  // still, or there were none. The page says how old it is until the server answers.
  if (page.isOnline && now() - page.asOf > 35000) connectionLost();
  if (source?.readyState === 2) wait(0, reconnect);
  confirmSight();
});
addEventListener("offline", connectionLost);
addEventListener("online", () => wait((retry = 0), reconnect));

Object.assign(refusals, { unanswered: connectionLost, signedOut: reload, unknownPage: listen });
