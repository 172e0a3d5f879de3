// Keeps the shell: what can be shown and pressed without a line. The two constants above name its files and their version.
const keepShell = async () => (await caches.open(VERSION)).addAll(SHELL);

const dropOthers = async () => {
  for (const name of await caches.keys()) if (name !== VERSION) await caches.delete(name);
  await clients.claim();
};

const answer = async (request) => {
  // Files with a version in their name never change; everything else is the server's to say, as long as it can be reached.
  const kept = await caches.match(request.mode === "navigate" ? "/web/shell" : request);
  if (kept && request.mode !== "navigate") return kept;
  try {
    return await fetch(request);
  } catch (error) {
    if (kept) return kept;
    throw error;
  }
};

self.addEventListener("install", (event) => event.waitUntil(keepShell().then(() => self.skipWaiting())));
self.addEventListener("activate", (event) => event.waitUntil(dropOthers()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const path = new URL(request.url).pathname;
  if (request.method === "GET" && (request.mode === "navigate" || path.startsWith("/web/assets/"))) event.respondWith(answer(request));
});
