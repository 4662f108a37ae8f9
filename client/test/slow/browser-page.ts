/** Runs in a browser: what the client does there, reported to browser.test.ts. */
import {
  browserStorage,
  type CreateEventData,
  createClient,
  createEvent,
  createUpload,
  getMe,
  isProblem,
  iterate,
  listenToEvent,
  listMyEvents,
  logout,
  requestCode,
  setRsvp,
  signIn,
} from '@potluck/client';

/** What the test prepares for the page. */
export type Settings = { baseUrl: string; phone: string; event: CreateEventData['body']; image: string };

const tell = (path: string, body = '') => fetch(path, { method: 'POST', body });

async function report(): Promise<Record<string, unknown>> {
  const { baseUrl, phone, event, image } = (await (await fetch('/settings')).json()) as Settings;
  // Like two tabs: they share the storage, and its lock.
  const [client, other] = [1, 2].map(() => createClient({ baseUrl, storage: browserStorage() }));
  if (!client || !other) throw new Error('two clients are created');
  const { data: sent } = await requestCode({ client, body: { phone } });
  await signIn({ client, body: { phone, code: sent.devCode ?? '' } });

  await tell('/expire');
  await Promise.all(Array.from({ length: 20 }, (_, i) => getMe({ client: i % 2 ? client : other })));

  await tell('/drop');
  const { data: created } = await createEvent({ client, body: event });
  const own = await Array.fromAsync(iterate(listMyEvents, { client, query: { relation: 'organizing' } }));

  const path = { id: created.id };
  // The change arrives as `counts`, or in a `snapshot` if it is older than the new connection.
  const going: number[] = [];
  const { stream } = await listenToEvent({ client, path, sseDefaultRetryDelay: 10, sseMaxRetryDelay: 50 });
  for await (const { event, data } of stream) {
    if (event === 'snapshot') going.push(data.counts.goingCount);
    if (event === 'counts') going.push(data.goingCount);
    if (going.length > 1) break;
    await tell('/cut');
    await setRsvp({ client: other, path, body: { status: 'going' } });
  }

  const body = await (await fetch(image)).blob();
  const { data: upload } = await createUpload({ client, body });
  const refused = await createUpload({ client, body: new Blob(['no image']) }).catch((error) => error);
  await logout({ client });
  return {
    events: own.length,
    going,
    uploaded: upload.url.endsWith('.webp'),
    refusedAs: isProblem(refused) ? refused.code : String(refused),
    isSignedIn: await other.session.isSignedIn(),
  };
}

await tell('/result', JSON.stringify(await report().catch((error) => String(error?.stack ?? error))));
