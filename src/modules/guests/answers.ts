/** Answers to an event: the RSVP of a person and its claims, made in the transaction that finds the person. */
import type { Transaction } from '#pg';
import type { UnlockedCaller, Viewer } from '../../identity/caller.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { formatItemId, type ItemId, parseItemId } from '../../lib/ids.ts';
import type { ProblemCode } from '../../lib/problem-catalogue.ts';
import type { RsvpCommand } from '../attendance/rsvps/policy.ts';
import type { EventRow } from '../events/present.ts';
import { findEvent, type Rsvp } from '../events/repo.ts';
import { listViewerStatesOfRecords } from '../events/viewer-states.ts';
import { toClaim } from '../items/present.ts';
import { listAvailable, listClaimsOf } from '../items/repo.ts';
import { toPerson } from '../people/present.ts';
import { listPeople } from '../people/repo.ts';
import { lockAnswers } from './lock-answers.ts';
import type { GuestAnswer, GuestSession } from './schemas.ts';
import type { GuestServices } from './services.ts';

/** `extraGuests`: null keeps the number, which is 0 for a new RSVP. */
export type NewAnswer = {
  status: Rsvp;
  extraGuests: number | null;
  claims: { itemId: string; quantity: number; note?: string | null }[];
  ask?: RsvpCommand['ask'];
};

type GivenClaims = Pick<GuestAnswer, 'claims'>;

/**
 * @param path of the field, for the error
 * @throws Problem `invalid_request` for claims without the status `going`, and for two on one item
 */
export function requireClaims(
  { claims = [] }: GivenClaims,
  status: string,
  path = 'claims',
): NewAnswer['claims'] {
  if (claims.length > 0 && status !== 'going') throw invalid(path, 'need the status going');
  const ids = new Set(claims.map(({ itemId }) => itemId.toLowerCase()));
  if (ids.size < claims.length) throw invalid(path, 'name an item twice', 'unique_items');
  return claims;
}

/** A person who answers, whose account or row the transaction has locked. */
export type Answerer = { caller: UnlockedCaller; role: Viewer['role'] };
type Refused = GuestSession['refused'];

/**
 * Makes the RSVP, then the claims.
 * @returns the claims that were refused
 * @throws Problem by which the RSVP is refused
 */
export async function writeAnswer(
  tx: Transaction,
  services: GuestServices,
  { caller, role }: Answerer,
  { eventId, answer }: { eventId: string; answer: NewAnswer },
): Promise<Refused> {
  const [refused = []] = await writeAnswers(tx, services, { eventId, role }, [{ caller, answer }]);
  return refused;
}

/** `role`: of each person who answers. `isByOrganizer`: as in `RsvpCommand`. */
type AnswerContext = { eventId: string; role: Viewer['role']; isByOrganizer?: true };

/**
 * As `writeAnswer`, of several people: the RSVPs, then the claims in the order of the people.
 * @returns the refused claims of each person, in their order
 */
export async function writeAnswers(
  tx: Transaction,
  services: Pick<GuestServices, 'rsvps' | 'claims' | 'clock'>,
  { eventId, role, ...context }: AnswerContext,
  answers: { caller: UnlockedCaller; answer: NewAnswer }[],
): Promise<Refused[]> {
  const wanted = answers.flatMap(({ caller, answer: { claims } }, nth) =>
    claims.map(({ note = null, ...claim }) => {
      const item = itemOf(claim.itemId, eventId);
      const command = item && { ...context, ...claim, kind: 'add' as const, item, caller, note };
      return { nth, itemId: claim.itemId, command };
    }),
  );
  const commands = wanted.flatMap(({ command }) => command ?? []);
  const items = new Map(commands.map(({ item }) => [formatItemId(item), item]));
  await lockAnswers(tx, [eventId], [...items.values()]);
  const rsvps = answers.map(({ caller, answer: { status, extraGuests, ask } }) => ({
    ...{ ...context, eventId, caller, status, extraGuests, isHidden: null, ask },
  }));
  const counted = await services.rsvps.applyIn(tx, role, rsvps);
  const refusal = counted.find((outcome) => outcome instanceof Problem);
  if (refusal) throw await orOver(tx, services, eventId, refusal);
  const outcomes = commands.length === 0 ? [] : await services.claims.applyIn(tx, role, commands);
  const available = await listAvailable(tx, [...items.values()]);
  const refused = answers.map((): Refused => []);
  for (const { nth, itemId, command } of wanted) {
    const outcome = command ? outcomes.shift() : new Problem('item_not_found');
    if (outcome instanceof Problem)
      refused[nth]?.push({
        ...{ itemId, code: outcome.code },
        available: command ? (available.get(formatItemId(command.item)) ?? null) : null,
      });
  }
  return refused;
}

/** Problems that come after `event_over`, which is about answers without an account alone. */
const afterOver: ProblemCode[] = ['rsvp_closed', 'approval_required', 'request_refused'];

async function orOver(
  tx: Transaction,
  { clock }: Pick<GuestServices, 'clock'>,
  eventId: string,
  problem: Problem,
): Promise<Problem> {
  if (!afterOver.includes(problem.code)) return problem;
  const event = await findEvent(tx, eventId);
  return event && event.endAt <= clock() ? new Problem('event_over') : problem;
}

/** Null for what is not the id of an item of the event. */
function itemOf(text: string, eventId: string): ItemId | null {
  const item = parseItemId(text);
  return item?.eventId === eventId ? item : null;
}

/** Locks the RSVPs, the bookings and the claims of a person at events. @returns the claimed items, for `endLockedAnswers` */
export async function lockOwnAnswers(
  tx: Transaction,
  keys: { eventId: string; userId: string }[],
): Promise<ItemId[]> {
  const own = (await Promise.all(keys.map((key) => listClaimsOf(tx, key)))).flat();
  const eventIds = keys.map(({ eventId }) => eventId);
  await lockAnswers(tx, eventIds, own);
  return own;
}

type AnswerWriters = Pick<GuestServices, 'rsvps' | 'bookings' | 'claims'>;

/** Ends the RSVP, the claims, and the booking or place in the waitlist of a person at an event. */
export async function endAnswer(
  tx: Transaction,
  services: AnswerWriters,
  person: Answerer,
  eventId: string,
): Promise<void> {
  const claimed = await lockOwnAnswers(tx, [{ eventId, userId: person.caller.id }]);
  await endLockedAnswers(tx, services, person, { eventIds: [eventId], claimed });
}

/** As `endAnswer`, of what `lockOwnAnswers` has locked. */
export async function endLockedAnswers(
  tx: Transaction,
  { rsvps, bookings, claims }: AnswerWriters,
  { caller, role }: Answerer,
  { eventIds, claimed }: { eventIds: string[]; claimed: ItemId[] },
): Promise<void> {
  const none = { caller, status: null, extraGuests: null, isHidden: null };
  await rsvps.applyIn(
    tx,
    role,
    eventIds.map((eventId) => ({ eventId, ...none })),
  );
  // Without a booking, it is refused, which changes nothing.
  await bookings.applyIn(
    tx,
    role,
    eventIds.map((eventId) => ({ kind: 'cancel', eventId, caller })),
  );
  const removals = claimed.map(({ eventId, n }) => ({
    kind: 'remove' as const,
    item: { eventId, n },
    caller,
  }));
  if (removals.length > 0) await claims.applyIn(tx, role, removals);
}

/** What a person has at an event once an answer is written, as a response shows it, and the event itself. */
export type WrittenAnswer = Pick<GuestSession, 'user' | 'myRsvp' | 'rsvpCount' | 'myRequest' | 'claims'>;

/** @throws Problem `event_not_found` if the event or the person is gone */
export async function readAnswer(
  tx: Transaction,
  { config }: Pick<GuestServices, 'config'>,
  key: { eventId: string; userId: string },
): Promise<{ event: EventRow; written: WrittenAnswer }> {
  const [event, [user], [state], claims] = await Promise.all([
    findEvent(tx, key.eventId),
    listPeople(tx, [key.userId]),
    listViewerStatesOfRecords(tx, [key]),
    listClaimsOf(tx, key),
  ]);
  if (!event || !user) throw new Problem('event_not_found');
  const written = {
    user: toPerson(user, config.publicUrl),
    myRsvp: state?.myRsvp ?? null,
    rsvpCount: event.rsvpCount,
    myRequest: state?.myRequest ?? null,
    claims: claims.map(toClaim),
  };
  return { event, written };
}
