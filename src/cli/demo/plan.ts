/** Plans the rows of the demo from its content. The same time always gives the same plan. */
import { dayMs, hourMs, numbersFrom } from '#base';
import type { EventFields } from '../../modules/events/event-fields.ts';
import { withDefaults } from '../../modules/events/event-rules.ts';
import type { Rsvp } from '../../modules/events/repo.ts';
import type { BookingStatus } from '../../modules/events/waitlist.ts';
import type { Kind, NewItem } from '../../modules/items/schemas.ts';
import {
  type DemoEvent,
  type DemoItem,
  demoData,
  type ItemListOrKey,
  type Pair,
  type PersonKey,
  personKeys,
  timezone,
  weekdays,
} from './data.ts';

export type PlannedEvent = {
  organizer: PersonKey;
  fields: EventFields;
  createdAt: Date;
  items: NewItem[];
  /** `extra_guests`: the column of the table. */
  rsvps: { person: PersonKey; status: Rsvp; extra_guests: number; at: Date }[];
  saves: { person: PersonKey; at: Date }[];
  /** `n` is the number of the item within the event, from 1. */
  claims: { person: PersonKey; n: number; quantity: number; note: string | null; at: Date }[];
  /** `n` is the number of the booking within the event, from 1. */
  bookings: { person: PersonKey; n: number; seats: number; status: BookingStatus; at: Date }[];
};
type Plan = { events: PlannedEvent[]; follows: Pair[] };

const { places, itemLists, relations } = demoData;

export function planDemo(now: Date): Plan {
  const random = numbersFrom(20_260_501);
  const events: DemoEvent[] = [
    ...demoData.events,
    ...demoData.eventSeries.flatMap(({ dates, ...series }) => dates.map((date) => ({ ...series, ...date }))),
  ];
  return { events: events.map((event) => planEvent(event, now, random)), follows: planFollows(random) };
}

type Random = () => number;

function planEvent(event: DemoEvent, now: Date, random: Random): PlannedEvent {
  const { organizer, bring, wish } = event;
  const createdAt = new Date(now.getTime() - (2 + random() * 40) * dayMs);
  const randomTimeSinceCreation = () =>
    new Date(createdAt.getTime() + random() * (now.getTime() - createdAt.getTime()));
  const list = [...itemsOf('bring', bring), ...itemsOf('wish', wish)];
  // A private event has no RSVPs, because only the organizer can see it.
  const guests = event.visibility === 'private' ? [] : guestsOf(organizer);
  const popularity = 0.3 + random() * 0.55;
  const answers = guests.flatMap((person, i): PlannedEvent['rsvps'] => {
    const value = random();
    if (value > popularity) return [];
    const status = value < popularity * 0.65 ? 'going' : 'interested';
    // Every fourth person has a family.
    return [{ person, status, extra_guests: i % 4 === 0 ? 2 : 0, at: randomTimeSinceCreation() }];
  });
  const bookings = planBookings(event, answers, createdAt);
  const rsvps = event.capacity ? withSeats(answers, bookings) : answers;
  const going = rsvps.filter(({ status }) => status === 'going').map(({ person }) => person);
  return {
    organizer,
    fields: fieldsOf(event, now),
    createdAt,
    items: list.map(({ notes: _, ...item }) => item),
    rsvps,
    saves: guests.filter(() => random() < 0.18).map((person) => ({ person, at: randomTimeSinceCreation() })),
    claims: planClaims(list, going, random).map((claim) => ({ ...claim, at: randomTimeSinceCreation() })),
    bookings,
  };
}

/** At an event with seats, as many come with a guest as the guest has seats. A guest without seats is interested. */
function withSeats(
  answers: PlannedEvent['rsvps'],
  bookings: PlannedEvent['bookings'],
): PlannedEvent['rsvps'] {
  const seated = bookings.filter(({ status }) => status === 'booked');
  const without = answers.filter(({ person }) => !seated.some((booking) => booking.person === person));
  return [
    ...seated.map(({ person, seats, at }) => ({
      person,
      status: 'going' as const,
      extra_guests: seats - 1,
      at,
    })),
    ...without.map((answer) => ({ ...answer, status: 'interested' as const, extra_guests: 0 })),
  ];
}

function fieldsOf(event: DemoEvent, now: Date): EventFields {
  const { organizer: _o, schedule, place, status, bring: _b, wish: _w, bookings: _k, ...fields } = event;
  const defaults = withDefaults({
    location: places[place],
    timezone,
    currency: 'SEK',
    // A demo event without a price is free.
    isPriceKnown: true,
    // Every user of the demo sees guests and claimants.
    guestListVisibility: 'everyone',
    claimantVisibility: 'everyone',
    ...timesOf(schedule, now),
    ...fields,
  });
  return { ...defaults, status: status ?? 'scheduled' };
}

/** Returns all people except the organizer and the people who blocked the organizer. */
const guestsOf = (organizer: PersonKey): PersonKey[] =>
  personKeys.filter((person) => person !== organizer && !includesPair(relations.blocks, person, organizer));

const itemsOf = (kind: Kind, list: ItemListOrKey = []): (DemoItem & { kind: Kind })[] =>
  (typeof list === 'string' ? itemLists[list] : list).map((item) => ({ ...item, kind }));

/** Each person claims at most two items, and never more than the quantity left. */
function planClaims(items: DemoItem[], going: PersonKey[], random: Random) {
  const notesLeft = items.map(({ notes = [] }) => [...notes]);
  const quantitiesLeft = items.map(({ quantityNeeded }) => quantityNeeded);
  return going.flatMap((person) => {
    const indexes = new Set([random(), random()].map((value) => Math.floor(value * items.length * 1.4)));
    return [...indexes].flatMap((index) => {
      const available = Math.min(quantitiesLeft[index] ?? 0, 3);
      if (available === 0) return [];
      const quantity = 1 + Math.floor(random() * available);
      quantitiesLeft[index] = (quantitiesLeft[index] ?? 0) - quantity;
      const note = notesLeft[index]?.shift() ?? null;
      return [{ person, n: index + 1, quantity, note }];
    });
  });
}

/**
 * Plans one booking per hour: those of the demo data, or else seats for all who are going, up to the capacity. As in the API, the
 * first booking that does not fit starts the waitlist, and all later bookings join it.
 */
function planBookings(
  { bookings, capacity = 0 }: DemoEvent,
  answers: PlannedEvent['rsvps'],
  createdAt: Date,
): PlannedEvent['bookings'] {
  let seatsLeft = capacity;
  const wanted = answers.flatMap(({ person, status, extra_guests }) =>
    status === 'going' ? [{ person, seats: 1 + extra_guests }] : [],
  );
  return (bookings ?? wanted).flatMap(({ person, seats }, index) => {
    if (!bookings && seats > seatsLeft) return [];
    const n = index + 1;
    const status = seats <= seatsLeft ? 'booked' : 'waiting';
    seatsLeft = status === 'booked' ? seatsLeft - seats : 0;
    return [{ person, n, seats, status, at: new Date(createdAt.getTime() + n * hourMs) }];
  });
}

/** Week 0 begins tomorrow, so every event is in the future. */
function timesOf({ week, day, time, hours }: DemoEvent['schedule'], now: Date) {
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timezone);
  const tomorrow = today.toPlainDate().add({ days: 1 });
  const daysAhead = (weekdays.indexOf(day) + 1 - tomorrow.dayOfWeek + 7) % 7;
  const date = tomorrow.add({ days: daysAhead + 7 * week });
  const startAt = date.toZonedDateTime({ timeZone: timezone, plainTime: time }).epochMilliseconds;
  return {
    startAt: new Date(startAt).toISOString(),
    endAt: new Date(startAt + hours * hourMs).toISOString(),
  };
}

/** Returns the follows of `demoData`, and random follows between people who do not block each other. */
function planFollows(random: Random): Pair[] {
  const { follows, blocks } = relations;
  const candidates = personKeys
    .flatMap((from) => personKeys.map((to) => ({ from, to })))
    .filter(({ from, to }) => from !== to && !includesPair(follows, from, to))
    .filter(({ from, to }) => !includesPair(blocks, from, to) && !includesPair(blocks, to, from))
    // Elin's profile is private. Elin follows only Mara, so Mara can see it and Jonas cannot.
    .filter(({ from }) => from !== 'elin');
  return [...follows, ...candidates.filter(() => random() < 0.35)];
}

const includesPair = (pairs: Pair[], from: PersonKey, to: PersonKey): boolean =>
  pairs.some((pair) => pair.from === from && pair.to === to);
