/** Faults of caches, the change log, transactions, idempotency and flags. */
import { type Fault, faultsOf } from '../fault.ts';

export const cacheFaults: Fault[] = [
  ...faultsOf('packages/pg/transaction-times.ts', [
    [
      'coalesce(min(xact_start)',
      'coalesce(max(now())',
      'updated-events',
      'a copy misses a transaction that began before it',
    ],
  ]),
  ...faultsOf('src/modules/events/event-writes.ts', [
    [
      'greatest(${transactionTime}, ${now}::timestamptz)',
      '${now}::timestamptz',
      'updated-events',
      'a copy misses the writes of a server whose clock is behind',
    ],
  ]),
  ...faultsOf('src/modules/discovery/updated-events.ts', [
    [
      'syncedAt: nextCursor ? null : settled',
      'syncedAt: settled',
      'updated-events',
      'a copy that stops early goes on after what it has not read',
    ],
    [
      'if (since && now.getTime() - since.getTime() > tombstoneDays * dayMs)',
      'if (false)',
      'updated-events',
      'a copy misses tombstones that are deleted',
    ],
  ]),
  ...faultsOf('src/modules/events/tombstones.ts', [
    [
      "event?.visibility !== 'public'",
      'event === null',
      'updated-events',
      'a tombstone tells a withdrawn event from a deleted one',
    ],
    [
      " && !(was === 'deleted' && reason === 'hidden')",
      '',
      'updated-events',
      'a tombstone tells that a withdrawn event exists and is hidden',
    ],
    [
      'const left = rows.filter(({ was }) => was === null);',
      'const left = rows.filter(({ reason }) => reason !== null);',
      'updated-events',
      'a tombstone names an event that was never public',
    ],
    [
      'if (shown.length > 0)',
      'if (false)',
      'updated-events',
      'the tombstone of an event stays that lists show again',
    ],
  ]),
  ...faultsOf('src/modules/events/hide-event.ts', [
    ['updated_at: transactionTime,', '', 'updated-events', 'a copy misses an event that is shown again'],
  ]),
  ...faultsOf('packages/fresh-records/record-cache.ts', [
    [
      'if (record && pending.changed?.has(changeKey) === false) {',
      'if (record) {',
      'record-caches',
      'a record that changed while it was read is cached',
    ],
    ['if (!changeKeys) pending.changed = null;', '', 'record-caches', 'a gap of the log during a read'],
    ['if (!changeKeys) cached.clear();', '', 'record-caches', 'a gap of the log'],
    [
      "for (const changeKey of changeKeys ?? []) cached.delete(ids.get(changeKey) ?? '');",
      '',
      'event-records',
      'a changed record stays',
    ],
    [
      'if (!isCurrent(required[i], record && versionOf(record))) return TOO_EARLY;',
      '',
      'row-versions',
      'a record of a replica that is behind',
    ],
  ]),
  ...faultsOf('packages/fresh-records/recent-versions.ts', [
    [
      'found === null ? required === deletedVersion : found >= required',
      'true',
      'packages/fresh-records/recent-versions',
      'an older row counts as current',
    ],
    [
      'Math.max(known, version)',
      'version',
      'packages/fresh-records/recent-versions',
      'the log of two shards goes back',
    ],
  ]),
  ...faultsOf('packages/fresh-records/change-log.ts', [
    ['if (isGap) this.#notify(null);', '', 'list-freshness', 'a server that missed changes keeps its caches'],
    [
      'this.#newerHalf = this.#remembered;\n      this.#notify(null);',
      'this.#newerHalf = this.#remembered;',
      'record-caches',
      'a server that follows another PostgreSQL keeps its caches',
    ],
  ]),
  ...faultsOf('src/http/define-endpoint.ts', [
    [
      'if (!input.caller && !uncached) await catchUp();',
      '',
      'fresh-reads',
      'a request without a token sees stale records',
    ],
  ]),
  ...faultsOf('src/modules/calendars/get-calendar.ts', [
    ["caller: 'none',", "caller: 'none',\n  uncached: true,", 'fresh-reads', 'a calendar has stale events'],
  ]),
  ...faultsOf('src/server/web/page-reads.ts', [
    [
      'this.#caughtUp ??= this.#context.services.changeLog.catchUp();',
      'this.#caughtUp ??= Promise.resolve();',
      'web-page-cache',
      'a cached page has a stale event',
    ],
  ]),
  ...faultsOf('src/server/web/register-web.ts', [
    ['() => reader.forget()', '() => {}', 'web-pages', 'the page after a form shows the state before it'],
  ]),
  ...faultsOf('src/modules/events/present.ts', [
    ['`&theme=${coverTheme}`', "''", 'event-records', 'browsers keep the cover of the former theme'],
    ['(&theme=[a-z]*)?', '', 'returned-fields', 'stores the address of a generated cover'],
  ]),
  ...faultsOf('src/modules/events/insert-events.ts', [
    [
      'listingKeys: listingKeysOf(events.map(({ event }) => event)),',
      'listingKeys: [],',
      'list-freshness',
      'another server does not list a new event',
    ],
  ]),
  ...faultsOf('src/modules/events/update-events.ts', [
    [
      'records: [changedEvents(changes.map(({ before }) => before.id))],',
      'records: [],',
      'row-versions',
      'another server shows the former event',
    ],
    [
      'listingKeys: listingKeysOf(changes.flatMap(({ before, after }) => [before, after])),',
      'listingKeys: [],',
      'list-freshness',
      'another server lists the former event',
    ],
  ]),
  ...faultsOf('src/modules/events/delete-events.ts', [
    [
      'listingKeys: listingKeysOf(events) };',
      'listingKeys: [] };',
      'list-freshness',
      'another server lists a deleted event',
    ],
    [
      'await addToEventsCount(tx, organizerId, -events.reduce((sum, event) => sum + eventsCountOf(event), 0));',
      '',
      'users',
      'drifting counter',
    ],
  ]),
  ...faultsOf('src/modules/events/changed-events.ts', [
    [
      'e.version + c.version as version',
      'e.version as version',
      'row-versions',
      'the log names a version that is too low',
    ],
    [
      '2 * e.version + (${listedCondition()})::int as listing',
      '2 * e.version as listing',
      'row-versions',
      'lists leave new events out',
    ],
  ]),
  ...faultsOf('src/identity/changed-people.ts', [
    [
      'version, null::bigint as listing from users',
      '0 as version, null::bigint as listing from users',
      'row-versions',
      'a replica shows the former name',
    ],
  ]),
  ...faultsOf('src/modules/accounts/profile/repo.ts', [
    [
      'await recordChange(tx, { records: [changedPeople([id])] });',
      '',
      'record-caches',
      'another server shows the former name',
    ],
  ]),
  ...faultsOf('src/modules/accounts/deletion/delete-account.ts', [
    [
      'await recordEffects(tx, effects);\n  return {',
      'return {',
      'delete-account',
      'another server shows a deleted account',
    ],
  ]),
  ...faultsOf('src/modules/accounts/deletion/delete-me.ts', [
    ['await lockAnyCaller(tx, caller);', '', 'author-locks', 'a session that has ended deletes the account'],
    ['if (problem) return problem;', '', 'delete-account', 'a deletion with a wrong code'],
  ]),
  ...faultsOf('packages/pg/rows.ts', [
    ["  'events',\n", '', 'row-versions', 'a replica shows the former event'],
    ["  'event_counters',\n", '', 'row-versions', 'a replica that is behind hides a booking'],
    ["  'sessions',\n", '', 'row-versions', 'a replica shows the former role'],
  ]),
  ...faultsOf('packages/pg/transaction.ts', [
    [
      "if (command !== 'COMMIT') throw",
      'if (false) throw',
      'transactions',
      'a write that was rolled back is acknowledged',
    ],
    [
      'if (attempt >= maxAttempts || !isRetryable(error)) throw error;',
      'throw error;',
      'transactions',
      'a deadlock fails a request',
    ],
  ]),
  ...faultsOf('src/idempotency/run-idempotent.ts', [
    ['if (stored) return replay(stored);', '', 'idempotency', 'a repeated request has a second effect'],
    ['if (stored instanceof Problem) throw stored;', '', 'idempotency', 'a key stands for two requests'],
    ['await storeResponse(tx, key, response, now);', '', 'idempotency', 'a response is not stored'],
    [
      'const locked = await lockCaller(tx, caller);',
      'const locked = caller;',
      'author-locks',
      'a write of an ended session',
    ],
  ]),
  ...faultsOf('src/idempotency/stored-responses.ts', [
    [
      'if (!row.requestHash.equals(key.requestHash))',
      'if (false)',
      'idempotency',
      'a key stands for two requests',
    ],
    ['where i.created_at > ${expiryOf(now)}`', '`', 'idempotency', 'a response lives longer than a day'],
  ]),
  ...faultsOf('src/flags/flags.ts', [
    ['if (!(await isOn(name))) throw', 'if (false) throw', 'admin-flags', 'a flag that is off'],
  ]),
];
