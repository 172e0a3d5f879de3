// Caches the shell: the page that works offline. The server prepends two constants: `VERSION`, and
// `SHELL` with the shell's URLs.
const keepShell = async () => (await caches.open(VERSION)).addAll(SHELL);

// Deletes old versions except the latest old version, whose open pages may still request files.
// `keys` returns the names in order of creation.
const dropOthers = async () => {
  const others = (await caches.keys()).filter((name) => name !== VERSION);
  for (const name of others.slice(0, -1)) await caches.delete(name);
  await clients.claim();
};

const answer = async (request) => {
  const isPage = request.mode === "navigate";
  const kept = await caches.match(isPage ? "/web/shell" : request);
  if (!isPage) return kept ?? keep(request);
  if (!kept) return fetch(request);
  // From here on, the request is for a page. Uses the server's page if the server answers in time,
  // and otherwise the shell.
  const patience = new Promise((resolve) => setTimeout(resolve, 8000));
  const fresh = await Promise.race([fetch(request), patience]).catch(() => null);
  return fresh?.status < 500 ? fresh : kept;
};

const keep = async (request) => {
  const fresh = await fetch(request);
  if (fresh.ok && request.url.includes(`/${VERSION}/`))
    await (await caches.open(VERSION)).put(request, fresh.clone());
  return fresh;
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
