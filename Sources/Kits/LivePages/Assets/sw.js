// Keeps the shell: the page that works without a connection. The two constants above name its files
// and their version.
const keepShell = async () => (await caches.open(VERSION)).addAll(SHELL);

const dropOthers = async () => {
  for (const name of await caches.keys()) if (name !== VERSION) await caches.delete(name);
  await clients.claim();
};

const answer = async (request) => {
  const isPage = request.mode === "navigate";
  const kept = await caches.match(isPage ? "/web/shell" : request);
  if (!kept) return fetch(request);
  // Files with a version in their name never change; pages are the server's to say, as long as it
  // can be reached.
  if (!isPage) return kept;
  const patience = new Promise((resolve) => setTimeout(resolve, 8000));
  const fresh = await Promise.race([fetch(request), patience]).catch(() => null);
  return fresh?.status < 500 ? fresh : kept;
};

self.addEventListener("install", (event) => event.waitUntil(keepShell()
  .then(() => self.skipWaiting())));
self.addEventListener("activate", (event) => event.waitUntil(dropOthers()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const path = new URL(request.url).pathname;
  if (request.method === "GET" && (request.mode === "navigate" || path.startsWith("/web/assets/")))
    event.respondWith(answer(request));
});
