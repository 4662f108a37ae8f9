/**
 * Computes lists of events from the rows of the database, without code of the server except the splitting of texts into
 * words.
 */
import { words } from '../../src/lib/text.ts';
import { type EventFacts, traitsOf } from '../../test/operations/event-traits.ts';
import type { Environment } from '../environment.ts';
import type { Place } from './vocabulary.ts';

export type ListQuery = {
  order: 'start' | 'relevance' | 'distance';
  q?: string;
  circle?: Place & { radius: number };
  category?: string;
  traits?: string[];
  /** Query parameters, and the times in ms that they mean. */
  dateFrom?: { text: string; at: number };
  dateTo?: { text: string; at: number };
  page: number;
  limit: number;
  /** The id of the caller; null without a token. */
  callerId: string | null;
};

export type List = { ids: string[]; total: number };

/** A listed event. The sets hold its words. */
type OracleEvent = Place & {
  id: string;
  organizerId: string;
  start: number;
  end: number;
  category: string;
  traits: string[];
  title: Set<string>;
  address: Set<string>;
  description: Set<string>;
};

type Row = Place & {
  id: string;
  organizerId: string;
  startAt: Date;
  endAt: Date;
  category: string;
  title: string;
  address: string;
  description: string;
} & Omit<EventFacts, 'price'> & { price: string };

/** The number of all changes that were committed. While it stays the same, no list changes. */
export async function readVersion({ sql }: Environment): Promise<number> {
  const [row] = await sql<[{ version: number }]>`select sum(version)::float8 as version from change_shards`;
  return row.version;
}

export async function readOracle({ sql }: Environment): Promise<Oracle> {
  const rows = await sql<Row[]>`
    select e.* from events e join users u on u.id = e.organizer_id
    where e.visibility = 'public' and e.status = 'scheduled' and u.suspended_at is null`;
  const blocks = await sql<{ userId: string; otherId: string }[]>`
    select user_id, other_id from relations where blocks`;
  const events = rows.map((row) => ({
    id: row.id,
    organizerId: row.organizerId,
    start: row.startAt.getTime(),
    end: row.endAt.getTime(),
    lat: row.lat,
    lng: row.lng,
    category: row.category,
    traits: traitsOf({ ...row, price: Number(row.price) }),
    title: new Set(words(row.title)),
    address: new Set(words(row.address)),
    description: new Set(words(row.description)),
  }));
  return new Oracle(events, new Set(blocks.map(({ userId, otherId }) => `${userId} ${otherId}`)));
}

const earthRadiusKm = 6371;
const farthestKm = Math.PI * earthRadiusKm;
/** Events closer to the circle's edge than this may be on either side of it. */
const edgeToleranceKm = 0.001;

export class Oracle {
  readonly events: OracleEvent[];
  readonly #blocks: Set<string>;

  constructor(events: OracleEvent[], blocks: Set<string>) {
    this.events = events;
    this.#blocks = blocks;
  }

  /** Null if an event is so close to the edge of the circle that rounding decides whether it is inside. */
  list(query: ListQuery): List | null {
    const { circle, page, limit } = query;
    const searched = query.q === undefined ? null : [...new Set(words(query.q))];
    const from = query.dateFrom?.at ?? (query.dateTo ? Number.NEGATIVE_INFINITY : Date.now());
    const until = query.dateTo?.at ?? Number.POSITIVE_INFINITY;
    const matches: { event: OracleEvent; grade: number; mm: number }[] = [];
    for (const event of this.events) {
      if (event.end <= from || event.start > until) continue;
      if (query.category !== undefined && event.category !== query.category) continue;
      if (!(query.traits ?? []).every((name) => event.traits.includes(name))) continue;
      if (query.callerId && this.#blocks.has(`${query.callerId} ${event.organizerId}`)) continue;
      const grade = searched ? gradeOf(event, searched) : 0;
      if (grade === null) continue;
      if (circle && circle.radius < farthestKm) {
        const beyond = haversineKm(circle, event) - circle.radius;
        if (Math.abs(beyond) < edgeToleranceKm) return null;
        if (beyond > 0) continue;
      }
      const mm =
        query.order === 'distance' && circle ? Math.round(haversineKm(circle, event) * 1_000_000) : 0;
      matches.push({ event, grade: query.order === 'relevance' ? grade : 0, mm });
    }
    matches.sort(
      (a, b) =>
        b.grade - a.grade ||
        a.mm - b.mm ||
        a.event.start - b.event.start ||
        (a.event.id < b.event.id ? -1 : 1),
    );
    const ids = matches.map(({ event }) => event.id);
    return { ids: ids.slice((page - 1) * limit, page * limit), total: ids.length };
  }
}

/** 3: all words are whole words of the title; 2: all start words of it; 1: of title or address; 0: anywhere. */
function gradeOf({ title, address, description }: OracleEvent, searched: string[]): number | null {
  const haveAll = (...fields: Set<string>[]) =>
    searched.every((start) => fields.some((field) => [...field].some((word) => word.startsWith(start))));
  if (searched.length === 0 || !haveAll(title, address, description)) return null;
  if (searched.every((word) => title.has(word))) return 3;
  return haveAll(title) ? 2 : haveAll(title, address) ? 1 : 0;
}

const radians = (degrees: number) => (degrees * Math.PI) / 180;

function haversineKm(a: Place, b: Place): number {
  const h =
    Math.sin(radians(b.lat - a.lat) / 2) ** 2 +
    Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * Math.sin(radians(b.lng - a.lng) / 2) ** 2;
  return 2 * earthRadiusKm * Math.asin(Math.sqrt(Math.min(1, h)));
}
