/** Compares what a file says with what earlier imports made of it: what is new, changed or the same. */
import { isDeepStrictEqual } from 'node:util';
import { inChunks, runInTurn } from '#base';
import type { Queryable } from '#pg';
import { Problem } from '../../lib/errors.ts';
import type { EventFields } from '../events/event-fields.ts';
import { applyChange, withDefaults } from '../events/event-rules.ts';
import { type ImportedEvent, listImportedEvents } from '../events/imports.ts';
import type { EventRow } from '../events/present.ts';
import { EnteredEvent, type EventChange } from '../events/schemas.ts';
import type { Doubt, EntryContent } from './entry-content.ts';
import type { ReadEntry } from './read-entries.ts';

export const entryStates = ['new', 'changed', 'same', 'doubtful', 'refused', 'skipped'] as const;
export type EntryState = (typeof entryStates)[number];

/** An entry as it is reviewed. */
export type ComparedEntry = {
  state: EntryState;
  key: string;
  line: number;
  uid: string;
  /** What would be stored; null for an entry that becomes nothing. */
  event: EnteredEvent | null;
  /** Of a changed event: the fields that the file changes. */
  change: EventChange | null;
  /** What the file says, by which the next import finds what it changes. */
  content: EntryContent | null;
  /** The event that an earlier import made of the entry. */
  knownId: string | null;
  doubts: Doubt[];
  duplicates: string[];
  reason: string | null;
};

type Known = Map<string, ImportedEvent<EntryContent>>;

/** Whose events entries are compared with. `keepsEdits`: fields that were changed here stay, also if the file has a newer value. */
export type Comparison = { organizerId: string; keepsEdits: boolean };

/** Compares entries with the events of earlier imports of a person. */
export async function compareEntries(
  db: Queryable,
  { organizerId, keepsEdits }: Comparison,
  entries: ReadEntry[],
): Promise<ComparedEntry[]> {
  const compared: ComparedEntry[] = [];
  for (const some of inChunks(entries)) {
    const keys = some.flatMap(({ key, formerKeys }) => [key, ...formerKeys.map((former) => former.key)]);
    const known = await listImportedEvents<EntryContent>(db, organizerId, keys);
    for (const entry of some) compared.push(await runInTurn(() => compareEntry(entry, known, keepsEdits)));
  }
  return compared;
}

function compareEntry(entry: ReadEntry, imported: Known, keepsEdits: boolean): ComparedEntry {
  const { line, uid, title, notes, doubts } = entry;
  const key = knownKey(entry, imported);
  const known = imported.get(key);
  const said = entry.kind === 'event' && entry.unplaced !== null ? [...notes, entry.unplaced] : notes;
  const named = entry.kind === 'refused' && title !== '' ? `"${title}" ` : '';
  const reason = said.length > 0 ? named + said.join('; ') : null;
  const common = {
    ...{ key, line, uid, reason },
    ...{ duplicates: [], doubts: [], content: null, change: null },
  };
  const nothing = { ...common, event: null, knownId: null };
  if (entry.kind === 'refused') return { ...nothing, state: 'refused' };
  if (!known?.event) {
    if (entry.kind === 'removal') return { ...nothing, state: 'same', reason: neverImported };
    const { content } = entry;
    const added = {
      ...common,
      content,
      event: toEntered(withDefaults(content), content.status),
      knownId: null,
    };
    // What was deleted here does not return, unless the person says so.
    if (known) return { ...added, state: 'skipped', reason: wasDeleted };
    return { ...added, doubts, state: doubts.length > 0 ? 'doubtful' : 'new' };
  }
  const knownId = known.event.id;
  const change = changeOf(entry, known.event, { said: known.content, keepsEdits });
  const content =
    entry.kind === 'event'
      ? entry.content
      : known.content && { ...known.content, status: 'cancelled' as const };
  const changed = tryChange(known.event, change);
  if (changed === null) return { ...nothing, knownId, state: 'refused', reason: notStorable };
  const before = toEntered(known.event);
  const event = toEntered(changed);
  const isSame = isDeepStrictEqual(before, event);
  return {
    ...common,
    content,
    event,
    knownId,
    doubts,
    ...(isSame ? { state: 'same' } : { state: 'changed', change }),
  };
}

const wasDeleted = 'was imported before, and the event was deleted here';
const neverImported = 'cancels an event that was not imported';
const notStorable = 'does not fit the event that an earlier import made of it';

/** The key under which an earlier import knows the entry; otherwise its own. */
function knownKey({ key, formerKeys }: ReadEntry, known: Known): string {
  if (known.has(key)) return key;
  const former = formerKeys.find((one) => {
    const event = known.get(one.key)?.event;
    return event && (one.startAt === null || one.startAt === event.startAt.toISOString());
  });
  return former?.key ?? key;
}

/** `said`: what the file said before; null for an import of an earlier version. */
type Earlier = { said: EntryContent | null; keepsEdits: boolean };

/**
 * The fields that a file changes: those that differ from what it said before. What a person has changed here since stays, unless the file
 * has another value now. Of an import of an earlier version it is not known what the file said: its fields are compared with the event.
 */
function changeOf(entry: ReadEntry, before: EventRow, { said, keepsEdits }: Earlier): EventChange {
  if (entry.kind !== 'event') return { status: 'cancelled' };
  const { content, defaulted } = entry;
  const current = toEntered(before);
  const compared = said ?? current;
  const differs = (a: Partial<EntryContent>, b: Partial<EntryContent>, name: keyof EntryContent) =>
    groupOf(name).some((member) => !isDeepStrictEqual(a[member], b[member]));
  const isKept = (name: keyof EntryContent) =>
    // What is entered here decides where an event is that hides its address.
    (before.isAddressHidden && placeFields.includes(name)) ||
    (keepsEdits && differs(current, compared, name));
  const names = (Object.keys(content) as (keyof EntryContent)[]).filter(
    (name) => !defaulted.includes(name) && differs(content, compared, name) && !isKept(name),
  );
  return Object.fromEntries(names.map((name) => [name, content[name]])) as EventChange;
}

/** Fields that change together. */
const placeFields: (keyof EntryContent)[] = ['location', 'locationKind', 'onlineUrl'];
const timeFields: (keyof EntryContent)[] = ['startAt', 'endAt', 'allDay', 'timezone'];
const groupOf = (name: keyof EntryContent): (keyof EntryContent)[] =>
  [placeFields, timeFields].find((group) => group.includes(name)) ?? [name];

/** The fields after a change, also if the event changed meanwhile. Null if they are not valid. */
export function tryChange(before: EventRow, change: EventChange): EventFields | null {
  try {
    return applyChange(withDeadlineBefore(before, change), change);
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  }
}

/** A calendar knows nothing of the deadline for answers, which ends with the event at the latest. */
function withDeadlineBefore(before: EventRow, { endAt }: EventChange): EventRow {
  const end = endAt === undefined ? before.endAt : new Date(endAt);
  return before.rsvpUntil && before.rsvpUntil > end ? { ...before, rsvpUntil: end } : before;
}

/** The fields of an event as requests have them. */
export function toEntered(fields: EventFields, status: EventFields['status'] = fields.status): EnteredEvent {
  const { address, lat, lng, isExact, startAt, endAt, rsvpUntil, ...others } = fields;
  const entered = {
    ...Object.fromEntries(Object.entries(others).filter(([name]) => name in EnteredEvent.properties)),
    startAt: startAt.toISOString(),
    endAt: endAt.toISOString(),
    rsvpUntil: rsvpUntil?.toISOString() ?? null,
    location: { address, lat, lng, isExact },
    status,
  };
  return entered as EnteredEvent;
}
