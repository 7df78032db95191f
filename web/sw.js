// Offline after the first visit, and never a mix of two builds.
//
// All files but a few lie in a folder named after the build. index.html, which names that folder,
// is fetched anew while there is a network; everything else of a build never changes. So whichever
// index.html is shown, its own files are with it: this worker keeps them all before it takes over. What
// only some visitors need is not among FILES; it is kept once it was asked for.

const BUILD = "{build}";
const FILES = JSON.parse(`{files}`);
const CACHE = `attnlab ${BUILD}`;

addEventListener("install", (event) => {
  event.waitUntil(keep_all().then(() => skipWaiting()));
});

async function keep_all() {
  const cache = await caches.open(CACHE);
  // Past the browser's own cache, which may hold files of another build at the same address.
  await cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })));
}

addEventListener("activate", (event) => {
  event.waitUntil(forget_others().then(() => clients.claim()));
});

async function forget_others() {
  for (const name of await caches.keys()) {
    if (name.startsWith("attnlab ") && name !== CACHE) await caches.delete(name);
  }
}

addEventListener("fetch", (event) => {
  const address = new URL(event.request.url);
  if (event.request.method !== "GET" || !address.href.startsWith(registration.scope)) return;
  event.respondWith(address.pathname.includes(`/${BUILD}/`) ? kept_first(event.request) : network_first(event.request));
});

async function kept_first(request) {
  const kept = await caches.match(request, { ignoreSearch: true });
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) await (await caches.open(CACHE)).put(request, answer.clone()).catch(() => {}); // no room: then not
  return answer;
}

async function network_first(request) {
  try {
    return await fetch(request);
  } catch (why) {
    const page = request.mode === "navigate" && !request.url.includes("embed.html");
    const kept = await caches.match(page ? "./index.html" : request, { ignoreSearch: true });
    if (kept) return kept;
    throw why;
  }
}
