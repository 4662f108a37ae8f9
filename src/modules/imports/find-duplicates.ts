/** Events here that an entry may be: on the same day, near to it, with a similar title. */
import { inChunks } from '#base';
import { type Queryable, sql } from '#pg';
import { type Coordinates, cellOf, distanceKm, editDistance } from '#record-index';
import type { Viewer } from '../../identity/caller.ts';
import { fold } from '../../lib/text.ts';
import { dateIn } from '../../lib/time-zones.ts';
import { listedCondition, visibleCondition } from '../events/policy.ts';
import type { EnteredEvent } from '../events/schemas.ts';

const maxKm = 1;
/** Of one entry. */
const maxDuplicates = 10;
/** Entries whose duplicates are searched at once. */
const atOnce = 20;

type Candidate = Coordinates & { id: string; title: string; startAt: Date; timezone: string };
/** `event`: of a series, with the start of its next date. */
type Searched = { uid: string; event: EnteredEvent; now: Date };

/** The ids of events that the viewer may see and that each entry may be, in the order of the entries. */
export async function findDuplicates(
  db: Queryable,
  viewer: Viewer,
  entries: Searched[],
): Promise<string[][]> {
  const found: string[][] = [];
  for (const some of inChunks(entries, atOnce))
    found.push(...(await Promise.all(some.map((entry) => findDuplicatesOf(db, viewer, entry)))));
  return found;
}

async function findDuplicatesOf(db: Queryable, viewer: Viewer, searched: Searched): Promise<string[]> {
  const { event } = searched;
  const near = await listCandidates(db, viewer, event);
  const similar = near.filter(
    (one) => isSameDay(one, event) && isNear(one, event) && isSimilar(one.title, event.title),
  );
  const own = await findByUid(db, viewer, searched);
  return [...new Set([...own, ...similar.map(({ id }) => id)])].slice(0, maxDuplicates);
}

const uuid = /^([\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})@/;

/** The event whose UID an entry has, or the next one of the series: it comes from a calendar of this server. */
async function findByUid(db: Queryable, viewer: Viewer, { uid, now }: Searched): Promise<string[]> {
  const id = uuid.exec(uid)?.[1];
  if (id === undefined) return [];
  const rows = await db.query<{ id: string }>(
    sql`select e.id from events e where e.id = ${id} and ${visibleCondition(viewer)}`,
  );
  const ofSeries =
    rows.length > 0
      ? rows
      : await db.query<{ id: string }>(sql`
          select e.id from events e where e.series_id = ${id} and ${visibleCondition(viewer)}
          order by e.end_at <= ${now}, e.start_at, e.id limit 1`);
  return ofSeries.map((row) => row.id);
}

const marginMs = 26 * 3_600_000;

/** Listed events and those of the viewer: others are visible to those who know their address. */
async function listCandidates(db: Queryable, viewer: Viewer, event: EnteredEvent): Promise<Candidate[]> {
  const at = Date.parse(event.startAt);
  const times = sql`e.start_at between ${new Date(at - marginMs)} and ${new Date(at + marginMs)}`;
  const columns = sql`e.id, e.title, e.lat, e.lng, e.start_at, e.timezone`;
  const cells = cellsAround(event.location);
  const [listed, own] = await Promise.all([
    db.query<Candidate>(sql`
      select ${columns} from events e
      where e.cell = any(${cells}::int[]) and ${times} and ${listedCondition()} limit 1000`),
    db.query<Candidate>(sql`
      select ${columns} from events e where e.organizer_id = ${viewer.id} and ${times} limit 1000`),
  ]);
  return [...listed, ...own];
}

/** The cells of the index within a kilometre. */
function cellsAround({ lat, lng }: Coordinates): number[] {
  const latStep = maxKm / 111;
  const lngStep = latStep / Math.max(0.01, Math.cos((lat * Math.PI) / 180));
  const corners = [-1, 0, 1].flatMap((y) =>
    [-1, 0, 1].map((x) => cellOf(Math.min(90, Math.max(-90, lat + y * latStep)), wrapped(lng + x * lngStep))),
  );
  return [...new Set(corners)];
}

const wrapped = (lng: number): number => (lng > 180 ? lng - 360 : lng < -180 ? lng + 360 : lng);

const isSameDay = ({ startAt, timezone }: Candidate, event: EnteredEvent): boolean =>
  dateIn(startAt, timezone).equals(dateIn(new Date(event.startAt), event.timezone));

const isNear = (place: Coordinates, { location }: EnteredEvent): boolean =>
  distanceKm(place, location) <= maxKm;

/** Whether titles differ in case, accents and punctuation, in some letters, or in few of their words. */
function isSimilar(one: string, other: string): boolean {
  const [a = [], b = []] = [one, other].map(wordsOf);
  if (a.length === 0 || b.length === 0) return one === other;
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  const texts = [short, long].map((words) => words.join(' ')) as [string, string];
  const most = Math.min(maxEdits, Math.floor(texts[1].length / lettersPerEdit));
  const shared = short.filter((word) => long.includes(word)).length;
  return (
    editDistance(...texts, most) <= most ||
    (texts[0].length >= minPart && ` ${texts[1]} `.includes(` ${texts[0]} `)) ||
    shared / long.length >= minShared
  );
}

/** A title within a longer one has so many letters. */
const minPart = 5;
/** More edits would take long to find. */
const [maxEdits, lettersPerEdit] = [3, 6];
const minShared = 0.6;

const wordsOf = (title: string): string[] => fold(title).match(/[\p{L}\p{N}]+/gu) ?? [];
