/** What the entries of a series say, as a series here: its rule, its further, excluded and changed dates. */
import { mapInTurns, runInTurn } from '#base';
import { datesOf, formatRule, lastDateOf, parseRule, type Rule, RuleError } from '#recurrence';
import { Problem } from '../../lib/errors.ts';
import type { EventFields } from '../events/event-fields.ts';
import { withDefaults } from '../events/event-rules.ts';
import type { EventChange } from '../events/schemas.ts';
import { planOf } from '../events/series/planned-dates.ts';
import {
  clockOf,
  compare,
  datesIn,
  formatDate,
  type LocalTime,
  lastDateBefore,
  localTime,
  type PlannedDate,
  readDate,
  type Schedule,
  scheduleOfEvent,
  timesOf,
} from '../events/series/schedule.ts';
import { beginningAt, endedAt, onlyOnce } from '../events/series/split.ts';
import { readSchedule } from '../series/read-series.ts';
import { maxDates } from '../series/schemas.ts';
import type { ChosenEntry, ChosenSeries } from './choose-dates.ts';
import { dateChange } from './date-change.ts';
import type { EntryContent } from './entry-content.ts';
import { type EntryPeriod, type EntryTime, toEventTimes, toInstant } from './entry-times.ts';
import { moveRule } from './move-rule.ts';
import { type Calendar, zoneOf } from './parse-calendar.ts';
import { type Frame, localDateOf, nextPeriods } from './series-dates.ts';

/** A date that differs from the others, and how. */
export type ChangedDate = { date: string; change: EventChange };
/** The dates of a series beside its event, as requests have them. */
export type SeriesContent = {
  rrule: string;
  extraDates: string[];
  excludedDates: string[];
  changedDates: ChangedDate[];
};

/** What one entry says. `content`: null for a date that is cancelled and says nothing else. */
export type SaidEntry = {
  entry: ChosenEntry;
  content: EntryContent | null;
  defaulted: (keyof EntryContent)[];
};

/** `next`: the local dates that come next. `planned`: how many occurrences would be made. `singles`: no series can have these dates. */
export type Described =
  | { kind: 'series'; content: EntryContent; series: SeriesContent; next: string[]; planned: number }
  | { kind: 'singles'; reason: string }
  | { kind: 'empty' };

type Source = { calendar: Calendar; now: Date };

/**
 * Describes a series in many turns of the event loop.
 * @param content of the entry; of a part, it begins at the first date of the part
 */
export async function describeSeries(
  entry: ChosenEntry & { series: ChosenSeries },
  content: EntryContent,
  changes: SaidEntry[],
  source: Source,
): Promise<Described> {
  try {
    const said = await readDates(entry, content, source);
    const part = await runInTurn(() => partOf(entry, said, source));
    if (!part) return { kind: 'empty' };
    const changed = await addChanges(part, { entry, content, changes, source });
    return await checked(entry, content, changed, source);
  } catch (error) {
    if (error instanceof RuleError) return { kind: 'singles', reason: error.message };
    if (error instanceof Problem) return { kind: 'singles', reason: error.message.replace(/\.$/, '') };
    throw error;
  }
}

/** `schedule`: of the dates of the file; `frame`: of its times. `move`: gives a date of the file the one of the part. */
type SaidDates = { schedule: Schedule; frame: Frame; fields: EventFields };

/** @throws RuleError */
async function readDates(
  { repetition, series, period }: ChosenEntry & { series: ChosenSeries },
  content: EntryContent,
  { calendar }: Source,
): Promise<SaidDates> {
  const { status: _, ...event } = content;
  const fields: EventFields = withDefaults(event);
  const { timezone, allDay } = fields;
  const began = series.origin.period.start;
  const begin = began === period.start ? fields.startAt : new Date(toInstant(began, timezone, calendar));
  const start = localTime(begin, timezone).round({ smallestUnit: 'minute', roundingMode: 'floor' });
  const frame = { timezone, allDay, clock: start.toPlainTime() };
  const rule = repetition.rule === null ? onlyOnce : readRule(repetition.rule, start, clockOf(fields));
  const [first] = await runInTurn(() => datesOf(rule, start, { limit: 1 }));
  if (!first) throw new RuleError('RRULE', 'gives no date in ten years');
  const at = (time: EntryTime) => localDateOf(time, frame, calendar);
  const added = await mapInTurns(repetition.added, (added) => at(added.start));
  const extra = uniqueDates(first.equals(start) ? added : [start, ...added]).slice(-maxDates);
  const excluded = await mapInTurns(repetition.removed, (time) => {
    const ofDay = (date: LocalTime) => date.toPlainDate().equals(time.local.toPlainDate());
    return time.isDate ? [at(time), ...extra.filter(ofDay)] : [at(time)];
  });
  const texts = uniqueDates(excluded.flat())
    .slice(-maxDates)
    .map((date) => formatDate(date, allDay));
  return {
    ...{ frame, fields },
    schedule: {
      ...scheduleOfEvent(fields, rule, { extra, excluded: new Set(texts) }),
      first,
    },
  };
}

/** Of a rule with `COUNT` and `UNTIL`, the earlier end counts. @throws RuleError */
function readRule(text: string, start: LocalTime, clock: ReturnType<typeof clockOf>): Rule {
  const value = text.replaceAll(/\s/g, '').replace(/;+$/, '');
  if (!/(^|;)COUNT=/i.test(value) || !/(^|;)UNTIL=/i.test(value)) return parseRule(value, clock);
  const without = (name: string) =>
    value
      .split(';')
      .filter((part) => !part.toUpperCase().startsWith(`${name}=`))
      .join(';');
  const [counted, ended] = [parseRule(without('UNTIL'), clock), parseRule(without('COUNT'), clock)];
  const last = lastDateOf(counted, start);
  return last && ended.until && compare(last, ended.until) <= 0 ? counted : ended;
}

const uniqueDates = (dates: LocalTime[]): LocalTime[] =>
  [...new Map(dates.map((date) => [date.toString(), date])).values()].sort(compare);

/** `move`: the date of the part that a date of the file is. */
type Part = SaidDates & { move: (date: LocalTime) => LocalTime };

/** The dates from RANGE=THISANDFUTURE on, or before it. Null without any. @throws RuleError */
function partOf(
  { series }: ChosenEntry & { series: ChosenSeries },
  said: SaidDates,
  { calendar }: Source,
): Part | null {
  const [from, until] = [series.from, series.until].map(
    (time) => time && localDateOf(time, said.frame, calendar),
  );
  const last = until && lastDateBefore(said.schedule, until);
  if (until && !last) return null;
  const schedule = until && last ? endedAt(said.schedule, last, until) : said.schedule;
  if (!from) return { ...said, schedule, move: (date) => date };
  const { timezone, startAt } = said.fields;
  const start = localTime(startAt, timezone).round({ smallestUnit: 'minute', roundingMode: 'floor' });
  const shift = from.until(start, { largestUnit: 'day' });
  const move = (date: LocalTime) => date.add(shift);
  return { ...said, schedule: moveDates(beginningAt(schedule, from), move, shift.days), move };
}

/** @throws RuleError for a rule whose days cannot be moved */
function moveDates(schedule: Schedule, move: Part['move'], days: number): Schedule {
  const { rule, first, extra, excluded, allDay } = schedule;
  const moveText = (text: string) => {
    const date = readDate(text, allDay);
    return date ? [formatDate(move(date), allDay)] : [];
  };
  return {
    ...schedule,
    rule: { ...moveRule(rule, days), until: rule.until && move(rule.until) },
    first: move(first),
    extra: extra.map(move),
    excluded: new Set([...excluded].flatMap(moveText)),
  };
}

type Changed = { schedule: Schedule; changedDates: ChangedDate[] };

/** Dates that entries replace, and periods of their own length. What replaces no date of the rule is a further date. */
async function addChanges(
  { schedule, frame, move }: Part,
  {
    entry,
    content,
    changes,
    source,
  }: { entry: ChosenEntry; content: EntryContent; changes: SaidEntry[]; source: Source },
): Promise<Changed> {
  const { calendar } = source;
  const { allDay } = schedule;
  const found = await mapInTurns(changes, (said) => {
    const time = said.entry.repetition.replaces?.time;
    return time ? [{ said, date: move(localDateOf(time, frame, calendar)) }] : [];
  });
  const replaced = found.flat();
  const existing = await runInTurn(() =>
    datesAmong(
      schedule,
      replaced.map(({ date }) => date),
    ),
  );
  const [extra, excluded] = [[...schedule.extra], new Set(schedule.excluded)];
  const changed = new Map<string, EventChange>();
  await mapInTurns(replaced, ({ said, date }) => {
    const text = formatDate(date, allDay);
    const { content: own, defaulted } = said;
    const isCancelled = own === null || own.status === 'cancelled';
    if (isCancelled && (!existing.has(text) || excluded.has(text))) return;
    if (!existing.has(text)) extra.push(date);
    // An entry of its own says more than an excluded date.
    excluded.delete(text);
    changed.set(
      text,
      own
        ? dateChange({ content: own, defaulted }, content, timesOf(schedule, date))
        : { status: 'cancelled' },
    );
  });
  await mapInTurns(entry.repetition.added, (added) => {
    const date = move(localDateOf(added.start, frame, calendar));
    const endAt = added.end || added.duration ? endOf(added, frame.timezone, calendar) : null;
    if (endAt && endAt.getTime() !== timesOf(schedule, date).endAt.getTime())
      changed.getOrInsert(formatDate(date, allDay), { endAt: endAt.toISOString() });
  });
  return {
    schedule: { ...schedule, extra: uniqueDates(extra).slice(-maxDates), excluded },
    changedDates: [...changed]
      .filter(([, change]) => Object.keys(change).length > 0)
      .map(([date, change]) => ({ date, change }))
      .sort((a, b) => (a.date < b.date ? -1 : 1)),
  };
}

function endOf(period: EntryPeriod, timezone: string, calendar: Calendar): Date | null {
  try {
    return toEventTimes(period, timezone, calendar).endAt;
  } catch {
    // A period of which nothing but the start can be read.
    return null;
  }
}

const maxCompared = 10_000;

/** Which of some dates the schedule has, also if it excludes them. */
function datesAmong(schedule: Schedule, dates: LocalTime[]): Set<string> {
  const sorted = dates.toSorted(compare);
  const [from, last] = [sorted[0], sorted.at(-1)];
  if (!from || !last) return new Set();
  const all = datesIn(
    { ...schedule, excluded: new Set(), deleted: new Set() },
    { from, before: last.add({ minutes: 1 }), limit: maxCompared },
  );
  return new Set(all.map((date) => formatDate(date, schedule.allDay)));
}

/** Of a review. */
const shownDates = 5;

/** @throws Problem for a series that cannot be made; RuleError for one in a zone that cannot be kept */
async function checked(
  entry: ChosenEntry,
  content: EntryContent,
  { schedule, changedDates }: Changed,
  { calendar, now }: Source,
): Promise<Described> {
  const { first, allDay, rule, extra, excluded } = schedule;
  const { startAt, endAt } = timesOf(schedule, first);
  const event = { ...content, startAt: startAt.toISOString(), endAt: endAt.toISOString() };
  const dates = {
    rrule: formatRule(rule, clockOf(schedule)),
    extraDates: extra.map((date) => formatDate(date, allDay)),
    excludedDates: [...excluded].sort(),
  };
  const { status: _, ...fields } = event;
  await runInTurn(() => readSchedule(withDefaults(fields), dates, 'startAt'));
  const plan = await runInTurn(() => planOf({ schedule, status: 'active' }, now).dates);
  const isChanged = (date: string) => changedDates.some((changed) => changed.date === date);
  const movedLater = changedDates.filter(
    ({ change }) => change.endAt && Date.parse(change.endAt) > now.getTime(),
  );
  const cancelled = new Set(
    changedDates.flatMap(({ date, change }) => (change.status === 'cancelled' ? [date] : [])),
  );
  const regular = plan.filter(({ date }) => !isChanged(date));
  await requireSameTimes(entry, regular, { calendar, now, timezone: schedule.timezone });
  return {
    ...{ kind: 'series', content: event, series: { ...dates, changedDates } },
    next: [...new Set([...plan, ...movedLater].map(({ date }) => date))]
      .filter((date) => !cancelled.has(date))
      .sort()
      .slice(0, shownDates),
    planned: plan.length + movedLater.length,
  };
}

/** A zone that only the file has, or an offset, may differ from the zone of the event on some dates. @throws RuleError */
async function requireSameTimes(
  entry: ChosenEntry,
  planned: PlannedDate[],
  { calendar, now, timezone }: Source & { timezone: string },
): Promise<void> {
  const { start } = entry.period;
  const kind = start.isDate || start.tzid === undefined ? undefined : zoneOf(start.tzid, calendar)?.kind;
  if (kind !== 'own' && kind !== 'offset') return;
  const said = (await nextPeriods(entry, { calendar, timezone, now })).slice(0, planned.length);
  if (
    said.some(
      (period, i) => toInstant(period.start, timezone, calendar) !== planned[i]?.times.startAt.getTime(),
    )
  )
    throw new RuleError('RRULE', 'is in a time zone that only this file has');
}
