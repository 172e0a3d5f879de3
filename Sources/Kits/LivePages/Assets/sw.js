// Caches the shell: the page that works offline. The server prepends two constants: `VERSION`, and
// `SHELL` with the shell's paths.

// The path below which the app is reached. Empty if the app has its host to itself.
const BASE = new URL(".", location).pathname.slice(0, -1);
// The caches of other apps on this host have other names.
const OURS = `${BASE}/`.slice(1);
const CACHE = OURS + VERSION;

const keepShell = async () =>
  (await caches.open(CACHE)).addAll(SHELL.map((path) => BASE + path));

// Deletes old versions except the latest old version, whose open pages may still request files.
// `keys` returns the names in order of creation.
const dropOthers = async () => {
  const others = (await caches.keys()).filter((it) => it.startsWith(OURS) && it !== CACHE);
  for (const name of others.slice(0, -1)) await caches.delete(name);
  await clients.claim();
};

const answer = async (request) => {
  const isPage = request.mode === "navigate";
  const kept = await caches.match(isPage ? `${BASE}/web/shell` : request);
  if (!isPage) return kept ?? keep(request);
  if (!kept) return fetch(request);
  // From here on, the request is for a page. Uses the server's page if the server answers in time,
  // and otherwise the shell, which retries by itself. The rate limit of an address answers 429,
  // and a busy server or a proxy answers 5xx.
  const fresh = await ask(request);
  return fresh?.status < 500 && fresh.status !== 429 ? fresh : kept;
};

// Returns the server's page; null without an answer in 8 seconds. Aborts the lost request and
// bypasses the HTTP cache: Chromium makes each later request for the same URL wait for a lost one.
// The limit ends with the answer, because it would also cut a slow body.
const ask = async (request) => {
  const limit = new AbortController();
  const { signal } = limit;
  const timer = setTimeout(() => limit.abort(), 8000);
  try {
    if (!isUserFile(request)) return await fetch(request, { signal, cache: "no-store" });
    const late = new Promise((_, fail) => signal.addEventListener("abort", fail));
    return await Promise.race([fetch(request), late]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
};

// A request with options no longer counts as a navigation: the server would not learn that another
// site asks for a user's file. A file's URL is used once, so it blocks no later request.
const isUserFile = ({ url }) => new URL(url).pathname.startsWith(`${BASE}/web/`);

const keep = async (request) => {
  const fresh = await fetch(request);
  if (fresh.ok && request.url.includes(`/${VERSION}/`))
    await (await caches.open(CACHE)).put(request, fresh.clone());
  return fresh;
};

self.addEventListener("install", (event) => event.waitUntil(keepShell()
  .then(() => self.skipWaiting())));
self.addEventListener("activate", (event) => event.waitUntil(dropOthers()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const path = new URL(request.url).pathname;
  const isFile = path.startsWith(`${BASE}/web/assets/`);
  if (request.method === "GET" && (request.mode === "navigate" || isFile))
    event.respondWith(answer(request));
});
