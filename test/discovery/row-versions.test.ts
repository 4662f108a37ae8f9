/** Reads of a database that does not show a change yet which the change log has named. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { changeKeyOf } from '#fresh-records';
import { transaction } from '#pg';
import { parseToken, successorPair } from '../../src/identity/tokens.ts';
import { rotateSession } from '../../src/modules/accounts/sessions/repo.ts';
import {
  createAdmin,
  createEvent,
  createUpload,
  createUser,
  deleteAccount,
  inDays,
  rsvpGoing,
  signIn,
} from '../support/factories.ts';
import { openLaggingDatabase } from '../support/lagging-database.ts';
import { randomOf } from '../support/random.ts';
import {
  type ApiResponse,
  expectProblem,
  expectStatus,
  secretKey,
  startTestApp,
  type TestApp,
} from '../support/setup.ts';
import { skipsOnCitus } from '../support/test-database.ts';

const api = await startTestApp();
const lagging = openLaggingDatabase(api.target);
/** A server whose reads of records can be behind. */
const reader = await api.startAnother({ sql: lagging.sql });
const organizer = await createUser(api);
const guest = await createUser(api);

const titleOf = (response: ApiResponse): string => expectStatus(response, 200).body.title;
const listOf = (response: ApiResponse): { id: string; title: string }[] =>
  expectStatus(response, 200).body.data.map(({ id, title }: { id: string; title: string }) => ({
    id,
    title,
  }));

const cannotFreeze = skipsOnCitus(
  'This freezes a snapshot, and on Citus a snapshot covers the coordinator alone.',
);

/** `isBefore`: waits for other work, which must end before the read. */
function whileWaiting(read: Promise<ApiResponse>) {
  let isWaiting = true;
  const end = read.finally(() => {
    isWaiting = false;
  });
  const isBefore = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    assert.ok(isWaiting, 'it waited as long as the read of a late record');
    return result;
  };
  return { end, isBefore };
}

/** Runs `work` while a read waits for a change that the database does not show; on Citus without such a read. */
async function duringLateRead(
  work: (isBefore: ReturnType<typeof whileWaiting>['isBefore']) => Promise<void>,
): Promise<void> {
  if (cannotFreeze) return work((promise) => promise);
  const event = await createEvent(api, organizer);
  const path = `/v1/events/${event.id}`;
  titleOf(await reader.get(path));
  await lagging.freeze(async () => {
    expectStatus(await api.patch(path, organizer.token, { title: 'Late' }), 200);
    const { end, isBefore } = whileWaiting(reader.get(path));
    await work(isBefore);
    expectProblem(await end, 503, 'unavailable');
  });
}

/** The lists of this test have events that no other test creates. */
const listPath = '/v1/events?q=zanzibar';

/**
 * Runs `write` on the other server, and `read` at once on the one that shows older records, which show the write 40 ms
 * later.
 */
async function readDuringLag<T>(write: () => Promise<unknown>, read: () => Promise<T>): Promise<T> {
  let reading: Promise<T> | undefined;
  await lagging.freeze(async () => {
    await write();
    reading = read();
    reading.catch(() => {});
    await sleep(40);
  });
  return (await reading) as T;
}

test('row versions: an event that the database shows in an older version is read again and never cached', async () => {
  const event = await createEvent(api, organizer, { title: 'Before' });
  const read = () => reader.get(`/v1/events/${event.id}`);
  assert.equal(titleOf(await read()), 'Before');
  const rename = () => api.patch(`/v1/events/${event.id}`, organizer.token, { title: 'After' });
  assert.equal(titleOf(await readDuringLag(rename, read)), 'After');
  assert.equal(titleOf(await read()), 'After');
  const { body } = expectStatus(await readDuringLag(() => rsvpGoing(api, guest, event.id), read), 200);
  assert.deepEqual([body.title, body.rsvpCount, body.goingCount], ['After', 1, 1]);
});

test('row versions: 503 with Retry-After when the database does not show the change within a second; 200 afterwards', {
  skip: cannotFreeze,
}, async () => {
  const event = await createEvent(api, organizer, { title: 'Before' });
  const other = await createEvent(api, organizer, { title: 'Other' });
  const path = `/v1/events/${event.id}`;
  titleOf(await reader.get(path));
  await lagging.freeze(async () => {
    expectStatus(await api.patch(path, organizer.token, { title: 'After' }), 200);
    const waiting = whileWaiting(reader.get(path));
    // Other records of the same loader do not wait.
    assert.equal(titleOf(await waiting.isBefore(reader.get(`/v1/events/${other.id}`))), 'Other');
    const response = await waiting.end;
    expectProblem(response, 503, 'unavailable');
    assert.ok(response.headers.has('retry-after'));
  });
  assert.equal(titleOf(await reader.get(path)), 'After');
});

test('row versions: 404 for a deleted event, and 200 for a new one, although the database shows neither yet', async () => {
  const event = await createEvent(api, organizer);
  const path = `/v1/events/${event.id}`;
  titleOf(await reader.get(path));
  const remove = () => api.delete(path, organizer.token);
  expectProblem(await readDuringLag(remove, () => reader.get(path)), 404, 'event_not_found');
  let id = '';
  const create = async () => {
    id = (await createEvent(api, organizer, { title: 'New' })).id;
  };
  assert.equal(titleOf(await readDuringLag(create, () => reader.get(`/v1/events/${id}`))), 'New');
});

test('row versions: 404 at once for the id of a record of another kind that has just changed', async () => {
  const event = await createEvent(api, organizer);
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { title: 'Changed' }), 200);
  expectStatus(await api.patch('/v1/me', organizer.token, { bio: 'Changed' }), 200);
  await duringLateRead(async (isBefore) => {
    expectProblem(await isBefore(reader.get(`/v1/events/${organizer.id}`)), 404, 'event_not_found');
    const sending = reader.post(`/v1/users/${event.id}/messages`, guest.token, { text: 'Hello?' });
    expectProblem(await isBefore(sending), 404, 'user_not_found');
  });
});

test('row versions: a session that has ended is refused while the database still shows it', async () => {
  const person = await signIn(api, guest.phone);
  const me = () => reader.get('/v1/auth/me', person.token);
  expectStatus(await me(), 200);
  const logOut = () => api.post('/v1/auth/logout', person.token);
  expectProblem(await readDuringLag(logOut, me), 401, 'token_invalid');

  const admin = await createAdmin(api);
  const audit = () => reader.get('/v1/admin/audit', admin.token);
  expectStatus(await audit(), 200);
  const other = await createAdmin(api);
  const demote = async () =>
    expectStatus(
      await api.call('PUT', `/v1/admin/users/${admin.id}/role`, {
        token: other.token,
        body: { role: 'user' },
      }),
      200,
    );
  expectProblem(await readDuringLag(demote, audit), 403, 'not_admin');
});

test('row versions: 200 for the token of a refresh while the database shows only a change of the profile that committed before', {
  skip: cannotFreeze,
}, async () => {
  const person = await createUser(api);
  const spent = parseToken('refresh', person.refreshToken, secretKey);
  assert.ok(spent);
  const next = successorPair(secretKey, spent, person.refreshToken);
  const now = new Date();
  const later = new Date(now.getTime() + 60_000);
  const [changed, isFrozen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const refreshing = transaction(api.sql, async (tx) => {
    await rotateSession(tx, spent, next, { now, accessExpiresAt: later, refreshExpiresAt: later });
    // What PATCH /v1/me of another session writes; the request itself could wait for the same shard of the change log.
    await api.sql`update users set bio = 'Changed', version = version + 1 where id = ${person.id}`;
    changed.resolve();
    await isFrozen.promise;
  });
  await changed.promise;
  const commit = async () => {
    isFrozen.resolve();
    await refreshing;
  };
  expectStatus(await readDuringLag(commit, () => reader.get('/v1/auth/me', next.accessToken)), 200);
});

test('row versions: the name of an organizer is the new one', async () => {
  const event = await createEvent(api, organizer);
  const read = async () => expectStatus(await reader.get(`/v1/events/${event.id}`), 200).body.organizer.name;
  await read();
  const rename = () => api.patch('/v1/me', organizer.token, { name: 'Ines Duarte' });
  assert.equal(await readDuringLag(rename, read), 'Ines Duarte');
});

test('row versions: lists have new, moved and hidden events as the change log names them', async () => {
  const event = await createEvent(api, organizer, { title: 'Zanzibar one' });
  const path = `/v1/events/${event.id}`;
  const list = async () => listOf(await reader.get(listPath));
  const during = (fields: object) => readDuringLag(() => api.patch(path, organizer.token, fields), list);
  assert.deepEqual(await list(), [{ id: event.id, title: 'Zanzibar one' }]);
  assert.deepEqual(await during({ title: 'Zanzibar two' }), [{ id: event.id, title: 'Zanzibar two' }]);
  const moved = {
    startAt: inDays(40),
    endAt: inDays(40, 2),
    location: { address: 'Far', lat: -30, lng: 20 },
  };
  assert.deepEqual(await during(moved), [{ id: event.id, title: 'Zanzibar two' }]);
  const near = '/v1/events?q=zanzibar&lat=-30&lng=20&radius=5';
  assert.equal(listOf(await reader.get(near)).length, 1);
  assert.deepEqual(await during({ visibility: 'private' }), []);
  assert.deepEqual(await during({ visibility: 'public' }), [{ id: event.id, title: 'Zanzibar two' }]);
  let second = '';
  const create = async () => {
    second = (
      await createEvent(api, organizer, {
        title: 'Zanzibar three',
        startAt: inDays(50),
        endAt: inDays(50, 1),
      })
    ).id;
  };
  assert.deepEqual(
    (await readDuringLag(create, list)).map(({ id }) => id),
    [event.id, second],
  );
  const remove = () => api.delete(path, organizer.token);
  assert.deepEqual(
    (await readDuringLag(remove, list)).map(({ id }) => id),
    [second],
  );
});

test('row versions: lists go on without an event whose change the database does not show for a second, and have it later', {
  skip: cannotFreeze,
}, async () => {
  const event = await createEvent(api, organizer, {
    title: 'Zanzibar late',
    startAt: inDays(60),
    endAt: inDays(60, 1),
  });
  const unlisted = `/v1/events/${(await createEvent(api, organizer, { visibility: 'private' })).id}`;
  titleOf(await reader.get(unlisted, organizer.token));
  const titles = async () => listOf(await reader.get('/v1/events?q=zanzibar+la')).map(({ title }) => title);
  assert.deepEqual(await titles(), ['Zanzibar late']);
  await lagging.freeze(async () => {
    expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { title: 'Zanzibar last' }), 200);
    expectStatus(await reader.get('/v1/events?q=harbour'), 200);
    assert.deepEqual(await titles(), []);
    expectStatus(await api.patch(unlisted, organizer.token, { title: 'Late' }), 200);
    const waiting = whileWaiting(reader.get(unlisted, organizer.token));
    // The second list does not wait for the event.
    assert.deepEqual(await waiting.isBefore(titles()), []);
    expectProblem(await waiting.end, 503, 'unavailable');
  });
  for (let waited = 0; waited < 15_000; waited += 200) {
    if ((await titles())[0] === 'Zanzibar last') break;
    await sleep(200);
  }
  assert.deepEqual(await titles(), ['Zanzibar last']);
});

test('row versions: a server that starts after a change does not cache an older version', async () => {
  const event = await createEvent(api, organizer, {
    title: 'Zanzibar start',
    startAt: inDays(70),
    endAt: inDays(70, 1),
  });
  const late = openLaggingDatabase(api.target);
  let reading: Promise<ApiResponse> | undefined;
  let server: TestApp | undefined;
  await late.freeze(async () => {
    expectStatus(
      await api.patch(`/v1/events/${event.id}`, organizer.token, { title: 'Zanzibar started' }),
      200,
    );
    server = await api.startAnother({ sql: late.sql });
    reading = server.get(`/v1/events/${event.id}`);
    await sleep(40);
  });
  assert.equal(titleOf((await reading) as ApiResponse), 'Zanzibar started');
  assert.deepEqual(
    listOf(await (server as TestApp).get('/v1/events?q=zanzibar+start')).map(({ title }) => title),
    ['Zanzibar started'],
  );
});

/** The version of a record that the change log named last; null for a deleted one. */
async function notedVersion(id: string): Promise<number | null | undefined> {
  const rows = await api.sql<{ version: number | null }[]>`
    select floor(k.version / 8)::float8 as version from changes c, unnest(c.records, c.versions) k (record, version)
    where k.record = ${changeKeyOf(id)} order by k.version desc nulls first limit 1`;
  return rows[0]?.version;
}
const eventVersion = async (id: string): Promise<number> => {
  const [row] = await api.sql`
    select (e.version + c.version)::float8 as version from events e join event_counters c on c.event_id = e.id
    where e.id = ${id}`;
  return row?.version;
};
const personVersion = async (id: string): Promise<number> => {
  const [row] = await api.sql`select version::float8 as version from users where id = ${id}`;
  return row?.version;
};

test('row versions: every write that changes a cached record raises its version, and the change log has it', async () => {
  const admin = await createAdmin(api);
  const [owner, first, second] = [await createUser(api), await createUser(api), await createUser(api)];
  const event = await createEvent(api, owner, { capacity: 1, enabledModules: ['booking'] });
  const path = `/v1/events/${event.id}`;
  const book = (person: typeof first, body: object) => api.post(`${path}/booking`, person.token, body);
  const suspension = `/v1/admin/users/${owner.id}/suspend`;
  const writes: [string, () => Promise<ApiResponse>][] = [
    ['rename', () => api.patch(path, owner.token, { title: 'New' })],
    ['rsvp', () => api.post(`${path}/rsvp`, first.token, { status: 'going' })],
    ['other rsvp', () => api.post(`${path}/rsvp`, first.token, { status: 'interested' })],
    ['no rsvp', () => api.post(`${path}/rsvp`, first.token, { status: null })],
    ['booking', () => book(first, { seats: 1 })],
    ['waitlist', () => book(second, { seats: 1, waitlist: true })],
    ['capacity', () => api.patch(path, owner.token, { capacity: 2 })],
    ['cancelled booking', () => api.delete(`${path}/booking`, second.token)],
    ['rsvp again', () => api.post(`${path}/rsvp`, second.token, { status: 'going' })],
    ['deleted guest', () => deleteAccount(api, second)],
    ['suspension', () => api.post(suspension, admin.token, {})],
    ['restoration', () => api.delete(suspension, admin.token)],
  ];
  for (const [name, write] of writes) {
    const before = await eventVersion(event.id);
    const response = await write();
    assert.ok(response.status < 300, `${name}: ${response.status} ${JSON.stringify(response.body)}`);
    const after = await eventVersion(event.id);
    assert.ok(after > before, `${name}: ${before} to ${after}`);
    assert.equal(await notedVersion(event.id), after, name);
  }
  assert.ok((await personVersion(owner.id)) >= 2, 'suspension and restoration');

  const avatar = await createUpload(api, first);
  const personWrites: (() => Promise<ApiResponse>)[] = [
    () => api.patch('/v1/me', first.token, { name: 'Noor', avatar: avatar.url }),
    () => api.delete(`/v1/uploads/${avatar.id}`, first.token),
  ];
  for (const write of personWrites) {
    const before = await personVersion(first.id);
    const response = await write();
    assert.ok(response.status < 300, JSON.stringify(response.body));
    assert.equal(await personVersion(first.id), before + 1);
    assert.equal(await notedVersion(first.id), before + 1);
  }
  expectStatus(await deleteAccount(api, first), 200);
  assert.equal(await notedVersion(first.id), null);
  expectStatus(await api.delete(path, admin.token), 200);
  assert.equal(await notedVersion(event.id), null);
});

test('race: 200 writes on one server, and each is in the next answers of another whose reads are up to 20 ms behind', async () => {
  const { next: roll } = randomOf(48);
  const events = await Promise.all(
    Array.from({ length: 8 }, (_, i) => createEvent(api, organizer, { title: `Pemba ${i} 0` })),
  );
  let isDone = false;
  const lag = async () => {
    while (!isDone) await lagging.freeze(() => sleep(20));
  };
  const writeAndRead = async ({ id }: { id: string }, i: number) => {
    for (let n = 1; n <= 25; n++) {
      const title = `Pemba ${i} ${n}`;
      expectStatus(await api.patch(`/v1/events/${id}`, organizer.token, { title }), 200);
      if (roll() < 0.5) assert.equal(titleOf(await reader.get(`/v1/events/${id}`)), title);
      else {
        const listed = listOf(await reader.get('/v1/events?q=pemba&limit=50'));
        assert.equal(listed.find((each) => each.id === id)?.title, title);
      }
    }
  };
  const lags = lag();
  try {
    await Promise.all(events.map(writeAndRead));
  } finally {
    isDone = true;
    await lags;
  }
  const listed = listOf(await reader.get('/v1/events?q=pemba&limit=50'));
  assert.deepEqual(listed.map(({ title }) => title).sort(), events.map((_, i) => `Pemba ${i} 25`).sort());
});
