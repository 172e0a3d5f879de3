import { apply } from "./changes.js";
import { keepDrafts } from "./drafts.js";
import { flush, refusals, startOver } from "./events.js";
import { app, now, on, page, post } from "./page.js";

// The connection to the server. Changes arrive as an event stream; a stream that is silent for
// longer than two signs of life counts as broken.

let source, retry = 0, timer;

function wait(time, act) {
  clearTimeout(timer);
  timer = setTimeout(act, time);
}

const acts = {
  alive(n) {
    page.settled = n;
    if (page.isOnline) app.reached();
  },
  patch(patch) {
    const putAside = patch.view && keepDrafts();
    if (!apply(patch)) return listen();
    putAside?.();
    app.changed();
    if (patch.view) startOver();
  },
  rest: () => document.hidden && (source.close(), clearTimeout(timer)),
  async session(ticket) {
    if ((await post("/web/session", { view: page.view, ticket }))?.ok) app.signedIn();
    else location.reload();
  },
};

export function listen() {
  source?.close();
  source = new EventSource(`/web/stream?view=${page.view}&generation=${page.generation}`
    + `&path=${encodeURIComponent(location.pathname)}`
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

export function connectionLost() {
  source?.close();
  page.isOnline = false;
  app.lost();
  wait(Math.min(15000, 300 * 2 ** retry++) * (0.7 + Math.random() * 0.6), reconnect);
}

async function reconnect() {
  // An event source does not tell why it was refused; a page that nobody knows any more has to be
  // loaded again.
  const answer = await post("/web/events", { view: page.view, events: [] });
  if (!answer) connectionLost();
  else if (answer.ok && !page.isShell) listen();
  else reload();
}

export function reload() {
  // Not for ever: a browser that keeps no cookies would never come to an end.
  if (Date.now() - sessionStorage.reloaded < 10000) return connectionLost();
  sessionStorage.reloaded = Date.now();
  location.reload();
}

on("visibilitychange", () => !document.hidden && source?.readyState === 2 && wait(0, reconnect));
addEventListener("offline", connectionLost);
addEventListener("online", () => wait((retry = 0), reconnect));

Object.assign(refusals, { unanswered: connectionLost, signedOut: reload, unknownPage: listen });
