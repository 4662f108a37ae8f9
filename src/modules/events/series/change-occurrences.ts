/** Changes several occurrences of a series, and what later ones will be, in one transaction: a refusal for one refuses all. */
import type { FastifyRequest } from 'fastify';
import { sql, type Transaction } from '#pg';
import { requireMatch } from '../../../http/conditional.ts';
import type { Caller } from '../../../identity/caller.ts';
import { invalid } from '../../../lib/errors.ts';
import type { ChangeMessage } from '../../../outbox/notices.ts';
import { type EventFields, fieldNames } from '../event-fields.ts';
import { noticeOf, versionOfEvent } from '../event-rules.ts';
import { listExactPlaces, withExactPlace } from '../exact-place.ts';
import { copySeriesKey } from '../imports.ts';
import { loadShownPlaces } from '../public-place.ts';
import type { EventChange } from '../schemas.ts';
import { changesUnseen } from '../unseen-moves.ts';
import { updateEvents } from '../update-events.ts';
import { changeOccurrence } from './occurrence-change.ts';
import { dateOf, lockOccurrences, lockSeriesOf, type OccurrenceRow } from './occurrences.ts';
import { type PlannedChange, planChange } from './planned-change.ts';
import { planOf } from './planned-dates.ts';
import { insertSeries, type Series, type SeriesFields, updateSeries } from './repo.ts';
import type { Scope } from './scopes.ts';
import { copyPeople } from './series-rsvps.ts';
import { splitSeries } from './split.ts';

export type OccurrencesChange = {
  id: string;
  scope: Exclude<Scope, 'this'>;
  change: EventChange;
  message: ChangeMessage | null;
  now: Date;
};

/** `affected`: the number of occurrences in scope; `keptOwn`: those where a field of the change kept a value of its own. */
export type ChangedOccurrences = { affected: number; keptOwn: string[] };

/**
 * Right under concurrency: the lock of the series excludes other changes of its dates and the job that makes them, and the locks
 * of its coming occurrences, taken in ascending order of their ids, exclude all other writes that depend on them.
 * @param prepare runs for each occurrence in scope before it is written
 * @throws Problem as the change of a single event; the detail names the date
 */
export async function changeOccurrences(
  tx: Transaction,
  caller: Caller,
  request: FastifyRequest,
  { id, scope, change, message, now }: OccurrencesChange,
  prepare: (before: OccurrenceRow, fields: EventFields) => Promise<void>,
): Promise<ChangedOccurrences> {
  const { series, event } = await lockSeriesOf(tx, id, caller);
  const rows = await lockOccurrences(tx, series.id, sql`(e.end_at > ${now} or e.id = ${id})`);
  const exactPlaces = await listExactPlaces(tx, [...rows, event]);
  const all = rows.map((row) => withEntered(row, exactPlaces.get(row.id) ?? null));
  const path =
    all.find(({ before }) => before.id === id) ?? withEntered(event, exactPlaces.get(event.id) ?? null);
  requireMatch(request, versionOfEvent(path.entered));
  const pathDate = path.before.seriesDate;
  const coming = all.filter(({ before }) => before.endAt > now);
  const isWhole = scope === 'all' || coming.every(({ before }) => before.seriesDate >= pathDate);
  const inScope = isWhole ? coming : coming.filter(({ before }) => before.seriesDate >= pathDate);
  const parts = isWhole || change.status ? null : splitSeries(series, dateOf(path.before), now);
  const shownPlace = await loadShownPlaces(...all.map(({ entered }) => entered), series.fields, change);
  const changed = planChange(parts?.later ?? series, path, { change, shownPlace });
  const outcomes = inScope.map((occurrence) => changeOccurrence(occurrence, changed));
  if (
    message &&
    !outcomes.some(({ before, fields }) => noticeOf(before, { ...fields, hidden: before.hidden }, now))
  )
    throw invalid('message', 'needs a change of which the guests are notified', 'needs_notice');
  for (const { before, fields } of outcomes) await prepare(before, fields);
  const isUnseen =
    isEqualForOthers(series, changed.series) &&
    outcomes.every(({ before, fields }) => changesUnseen(before, fields));
  await store(tx, { series, parts, changed, outcomes, isUnseen, now });
  const seriesId = changed.series.id;
  await updateEvents(
    tx,
    outcomes.map(({ before, fields, occurrence }) => ({
      ...{ before, fields },
      occurrence: { ...occurrence, seriesId },
    })),
    now,
    message,
  );
  return {
    affected: inScope.length,
    keptOwn: outcomes.flatMap(({ before, keepsOwn }) => (keepsOwn ? [before.id] : [])),
  };
}

const withEntered = (row: OccurrenceRow, exactPlace: Parameters<typeof withExactPlace>[1]) => ({
  before: { ...row, exactPlace },
  entered: withExactPlace(row, exactPlace),
});

/** Whether a change of a series shows others nothing. Its schedule follows from the times of its dates. */
const isEqualForOthers = (before: Series, after: Series): boolean =>
  before.fields.exactPlace != null &&
  before.status === after.status &&
  fieldNames.every((name) => isEqualIn(name as keyof SeriesFields, before.fields, after.fields));

const isEqualIn = (name: keyof SeriesFields, before: SeriesFields, after: SeriesFields): boolean =>
  JSON.stringify(before[name]) === JSON.stringify(after[name]);

type Stored = {
  series: Series;
  parts: ReturnType<typeof splitSeries>;
  changed: PlannedChange;
  outcomes: { before: OccurrenceRow }[];
  /** Whether calendars show the same as before. */
  isUnseen: boolean;
  now: Date;
};

async function store(
  tx: Transaction,
  { series, parts, changed, outcomes, isUnseen, now }: Stored,
): Promise<void> {
  // The dates that exist need no job; one that is missing is made in the next minute.
  const dueAt = (part: Series) => planOf(part, now).dueAt;
  if (!parts) {
    const isResumed = series.status === 'ended' && changed.series.status === 'active';
    const revision = isUnseen ? undefined : { at: now, lost: [] };
    return await updateSeries(tx, changed.series, isResumed ? now : dueAt(changed.series), revision);
  }
  const lost = outcomes.map(({ before }) => before);
  await updateSeries(tx, parts.earlier, dueAt(parts.earlier), { at: now, lost });
  await insertSeries(tx, changed.series, dueAt(changed.series));
  await copyPeople(tx, series.id, changed.series.id);
  await copySeriesKey(tx, series, changed.series.id);
}
