/**
 * Shows visited events and the visitor's own without a connection. Pages always come from the network while there is one, so a page
 * from the cache is only shown where the browser is offline or the server does not respond.
 */
import './push.ts';
import { offlinePath, pagesCache } from '#lib/offline/stored-pages.ts';
import { self } from '$app/service-worker';

/** The offline page, which stays when the person signs out. */
const offlineCache = 'potluck-offline';
/** Scripts and styles, whose names change with their content. */
const filesCache = 'potluck-files';
const logo = '/icon.svg';
const maxPages = 60;
const maxFiles = 300;

self.addEventListener('install', (event) => {
  event.waitUntil(storeOfflinePage().then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(self.clients.claim());
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== self.location.origin) return;
  if (url.pathname.startsWith('/_app/immutable/') || url.pathname === logo)
    event.respondWith(fileOf(request));
  else if (isKept(url)) event.respondWith(newestOf(request));
  else if (request.mode === 'navigate')
    event.respondWith(fetch(request).catch(async () => (await offlinePage()) ?? Response.error()));
});

/** Event pages and "My events", the data of navigations to them, and the images that they show. */
const isKept = ({ pathname }: URL): boolean =>
  /^\/(e\/[^/]+(\/bring)?|mine)(\/__data\.json)?$/.test(pathname) || /^\/v1\/.*\.(svg|webp)$/.test(pathname);

/** The offline page and the files that it needs. */
async function storeOfflinePage(): Promise<void> {
  const response = await fetch(offlinePath);
  if (!response.ok) throw new Error(`${offlinePath}: ${response.status}`);
  const html = await response.clone().text();
  const files = [...html.matchAll(/"(\/_app\/immutable\/[^"]+)"/g)].map(([, file]) => file ?? '');
  await (await caches.open(offlineCache)).put(offlinePath, response);
  await (await caches.open(filesCache)).addAll([logo, ...new Set(files)]);
}

const offlinePage = async (): Promise<Response | undefined> =>
  (await caches.open(offlineCache)).match(offlinePath);

async function fileOf(request: Request): Promise<Response> {
  const cache = await caches.open(filesCache);
  const stored = await cache.match(request);
  if (stored) return stored;
  const response = await fetch(request);
  if (response.ok) await store(cache, request, response.clone(), maxFiles);
  return response;
}

async function newestOf(request: Request): Promise<Response> {
  const cache = await caches.open(pagesCache);
  try {
    const response = await fetch(request);
    if (response.ok) await store(cache, request, response.clone(), maxPages);
    // What may not be seen any more is not kept.
    else if (response.status === 404 || response.status === 403) await cache.delete(request);
    return response;
  } catch (error) {
    const stored = await cache.match(request, { ignoreVary: true });
    // A page that reloads its data keeps those that it has (retrying-fetch.ts).
    if (stored && request.cache !== 'no-store') return stored;
    if (request.mode === 'navigate') return (await offlinePage()) ?? Response.error();
    throw error;
  }
}

/** Stores a response, and removes the oldest ones above the limit. */
async function store(cache: Cache, request: Request, response: Response, max: number): Promise<void> {
  await cache.delete(request, { ignoreVary: true });
  await cache.put(request, response);
  const keys = await cache.keys();
  for (const key of keys.slice(0, Math.max(0, keys.length - max))) await cache.delete(key);
}
