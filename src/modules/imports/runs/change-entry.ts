import type { Transaction } from '#pg';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { languageOf } from '../../../http/request-language.ts';
import { actAs } from '../../../identity/act-as.ts';
import { invalid, Problem } from '../../../lib/errors.ts';
import { readId } from '../../../lib/ids.ts';
import { applyChange, withDefaults } from '../../events/event-rules.ts';
import { findEvent } from '../../events/repo.ts';
import type { EnteredEvent, EventChange } from '../../events/schemas.ts';
import type { ReviewedSeries } from '../compare-entries.ts';
import { tryChange } from '../compare-entries.ts';
import { type Doubt, requireEvent } from '../entry-content.ts';
import { EntryError } from '../entry-error.ts';
import { moveReviewed } from '../move-reviewed.ts';
import { toEntered } from '../to-entered.ts';
import { toEntry } from './present.ts';
import { countEntries, type EntryRow, lockEntry, lockRun, setCounts, updateEntry } from './repo.ts';
import { EntryChange, EntryParams, ImportEntry } from './schemas.ts';
import type { ImportServices } from './services.ts';

export const changeImportEntry = defineEndpoint({
  method: 'PATCH',
  path: '/v1/imports/:id/entries/:n',
  summary: 'Change or skip an entry of an import',
  description:
    'Before the publication. `skip` leaves the entry out, or with `false` publishes it, also if it is doubtful; other fields are those ' +
    'of `POST /v1/events`, and change what is stored. A changed field takes away its doubt.',
  caller: 'fresh',
  params: EntryParams,
  body: EntryChange,
  response: { 200: ImportEntry },
  problems: ['import_not_found', 'entry_not_found', 'import_published'],

  async handler({ caller, params, body, request }, services: ImportServices) {
    const { db } = services;
    const id = readId(params.id, 'import_not_found');
    const entry = await actAs(db, caller, async (tx, caller) => {
      const key = { userId: caller.id, id };
      const run = await lockRun(tx, key);
      if (!run) throw new Problem('import_not_found');
      const before = /^[1-9]\d{0,8}$/.test(params.n) ? await lockEntry(tx, key, Number(params.n)) : null;
      if (!before) throw new Problem('entry_not_found');
      if (run.status !== 'review' || before.isPublished) throw new Problem('import_published');
      const after = { ...(await changeEntry(tx, before, body)), isEdited: true };
      await updateEntry(tx, key, after);
      await setCounts(tx, key, await countEntries(tx, key));
      return after;
    });
    return { status: 200, body: toEntry(entry, await languageOf(services, request)) };
  },
});

async function changeEntry(
  tx: Transaction,
  before: EntryRow,
  { skip, ...change }: EntryChange,
): Promise<EntryRow> {
  const isChanged = Object.keys(change).length > 0;
  const after = isChanged ? await withFields(tx, before, change) : before;
  if (skip === true) return { ...after, state: 'skipped' };
  if (!after.event) {
    if (skip === false) throw invalid('skip', 'must be true: the entry cannot become an event');
    return after;
  }
  const doubts = skip === false ? [] : after.doubts.filter((doubt) => !isSettled(doubt, change));
  return { ...after, doubts, state: stateOf({ ...after, doubts }, isChanged, skip) };
}

/** The fields whose change settles a doubt. */
const settledBy: Record<Doubt, (keyof EventChange)[]> = {
  place: ['location', 'locationKind', 'onlineUrl'],
  country: ['location', 'locationKind'],
  zone: ['timezone', 'startAt', 'location'],
  length: ['endAt'],
  date: ['startAt'],
  duplicate: [],
};
const isSettled = (doubt: Doubt, change: EventChange): boolean =>
  settledBy[doubt].some((name) => change[name] !== undefined);

function stateOf(
  { state, doubts, knownId, change, series }: EntryRow,
  isChanged: boolean,
  skip: boolean | undefined,
): EntryRow['state'] {
  if (state === 'skipped' && skip === undefined) return 'skipped';
  if (series?.joins || series?.splits) return 'changed';
  if (knownId !== null || series?.isKnown) return change || series?.change ? 'changed' : 'same';
  if (state === 'refused' && !isChanged) return 'refused';
  return doubts.length > 0 ? 'doubtful' : 'new';
}

/** @throws Problem `invalid_request` */
async function withFields(tx: Transaction, entry: EntryRow, fields: EventChange): Promise<EntryRow> {
  if (entry.knownId !== null) return await withChangedFields(tx, entry, entry.knownId, fields);
  if (entry.series && entry.event) return withSeriesFields(entry, entry.event, entry.series, fields);
  return { ...entry, event: entry.event ? changed(entry.event, fields) : completed(fields) };
}

/** Dates move with the time of the event. */
function withSeriesFields(
  entry: EntryRow,
  before: EnteredEvent,
  series: ReviewedSeries,
  fields: EventChange,
): EntryRow {
  const event = changed(before, fields);
  const moved = moveReviewed(series, before, event);
  if (!series.isKnown) return { ...entry, event, series: moved };
  const { startAt: _start, endAt: _end, allDay: _allDay, timezone: _timezone, ...others } = fields;
  const change = Object.keys(others).length > 0 ? { ...entry.change, ...others } : entry.change;
  return { ...entry, event, change, series: moved };
}

const changed = ({ status, ...before }: EnteredEvent, fields: EventChange): EnteredEvent =>
  toEntered(applyChange({ ...withDefaults(before), status }, fields));

/** The event of an entry that was refused. @throws Problem `invalid_request` unless the request has all that an event needs */
function completed(fields: EventChange): EnteredEvent {
  try {
    requireEvent(fields);
  } catch (error) {
    throw error instanceof EntryError ? toInvalid(error, fields) : error;
  }
  const { status = 'scheduled', ...body } = fields;
  return toEntered(withDefaults(body), status);
}

async function withChangedFields(
  tx: Transaction,
  entry: EntryRow,
  knownId: string,
  fields: EventChange,
): Promise<EntryRow> {
  if (fields.addressVisibility !== undefined)
    throw invalid('addressVisibility', 'of an event that exists changes at the event itself');
  const before = await findEvent(tx, knownId);
  const change = { ...entry.change, ...fields };
  const changed = before && tryChange(before, change);
  if (!changed)
    throw invalid(Object.keys(fields)[0] ?? 'body', 'does not fit the event of an earlier import');
  return { ...entry, change, event: toEntered(changed) };
}

/** Names the field of the message, if the request has it. */
function toInvalid({ message }: EntryError, fields: EventChange): Problem {
  const name = /^[a-zA-Z]+/.exec(message)?.[0] ?? '';
  const path = name in fields ? name : (Object.keys(fields)[0] ?? 'body');
  return invalid(path, message.startsWith(`${path} `) ? message.slice(path.length + 1) : message);
}
