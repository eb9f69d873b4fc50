// The site without a network. SITE, in the line before, has its version, its files and how large the pictures are.
// Another site on the same host may keep files too: a cache is named by where this one lies.
const OURS = `silhouette ${self.registration.scope} `;
const CACHE = OURS + SITE.version;
const FILES = new Set([...SITE.first, ...SITE.later]);

// A file's path from the folder of the site.
const nameOf = (address) => {
  const { scope } = self.registration;
  const name = decodeURI(address.split(/[?#]/)[0].slice(scope.length));
  return name === "" || name.endsWith("/") ? `${name}index.html` : name;
};
// Of this version, whatever the browser still has of one before.
const fetched = (name) => fetch(new Request(new URL(name, self.registration.scope), { cache: "no-cache" }));

async function stored(cache, name) {
  const answer = await fetched(name);
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  await cache.put(new URL(name, self.registration.scope), answer);
}

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => Promise.all(SITE.first.map((name) => stored(cache, name)))));
});

self.addEventListener("activate", (event) => {
  const old = (names) => names.filter((name) => name.startsWith(OURS) && name !== CACHE);
  const emptied = caches.keys().then((names) => Promise.all(old(names).map((name) => caches.delete(name))));
  event.waitUntil(emptied.then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method !== "GET" || !url.startsWith(self.registration.scope) || !FILES.has(nameOf(url))) return;
  event.respondWith(answered(nameOf(url)));
});

async function answered(name) {
  const cache = await caches.open(CACHE);
  const address = new URL(name, self.registration.scope);
  const there = await cache.match(address);
  if (there) return there;
  const answer = await fetched(name);
  if (answer.ok) await cache.put(address, answer.clone());
  return answer;
}

// A page asks how much is left to fetch, or has all of it fetched, four files at a time: {left, bytes} answers each time.
self.addEventListener("message", (event) => {
  event.waitUntil(event.data === "fetch" ? rest(event.source) : counted(event.source));
});

async function missing() {
  const cache = await caches.open(CACHE);
  const there = new Set((await cache.keys()).map(({ url }) => nameOf(url)));
  return SITE.later.filter((name) => !there.has(name));
}

async function counted(page) {
  page.postMessage({ left: (await missing()).length, bytes: SITE.bytes });
}

async function rest(page) {
  const cache = await caches.open(CACHE);
  const names = await missing();
  let left = names.length;
  const some = async () => {
    for (let name = names.pop(); name; name = names.pop()) {
      await stored(cache, name);
      page.postMessage({ left: (left -= 1), bytes: SITE.bytes });
    }
  };
  try {
    await Promise.all([some(), some(), some(), some()]);
  } catch {
    page.postMessage({ left, bytes: SITE.bytes, failed: true });
  }
}
