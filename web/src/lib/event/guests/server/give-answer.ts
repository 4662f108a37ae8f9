/** Gives the visitor's answer to an event: one press sets the RSVP and, at an event with seats, takes the seats. */
import {
  answerMyInvitation,
  bookSeats,
  type Client,
  cancelBooking,
  changeBooking,
  type Event,
  getEvent,
  isProblem,
  ResponseError,
  setRsvp,
} from '@potluck/client';
import { extraGuestsOf, hasSeats, partyOf } from '#lib/event/guests/answer.ts';

export type GivenAnswer = {
  rsvp: 'going' | 'interested';
  /** With the visitor; null for as many as before. */
  people: number | null;
  /** Whether the visitor waits where the seats are not free. */
  waitlist: boolean;
  /** For an organizer who approves guests. A sign-in does not carry it. */
  message?: string;
};

/** Part of an answer was done when the rest failed. The text `problem_CODE` says what holds now. */
export class PartlyDone extends Error {
  readonly code: 'seats_without_rsvp' | 'waiting_without_rsvp' | 'seats_kept';
  override readonly cause: ResponseError;

  constructor(code: PartlyDone['code'], cause: ResponseError) {
    super(cause.message);
    this.code = code;
    this.cause = cause;
  }
}

/** Asks to join where the organizer approves guests, also since the page was loaded: the page then says what holds. */
export const askOf = (message = '') => ({ ask: true, ...(message !== '' && { message }) });

/** @throws ProblemError nothing was changed @throws PartlyDone */
export async function giveAnswer(client: Client, eventId: string, answer: GivenAnswer): Promise<void> {
  const path = { id: eventId };
  const { data: event } = await getEvent({ client, path });
  const { rsvp, people, message } = answer;
  const takesSeats = rsvp === 'going' && hasSeats(event);
  // Where the organizer approves guests, seats are for those who go.
  if (takesSeats && (event.rsvpApproval === 'none' || event.myRsvp === 'going'))
    return comeWithSeats(client, event, answer);
  const guests = rsvp === 'going' && people !== null && { extraGuests: extraGuestsOf(people) };
  const { data } = await setRsvp({ client, path, body: { status: rsvp, ...guests, ...askOf(message) } });
  if (rsvp === 'interested') await giveSeatsBack(client, event);
  else if (takesSeats && data.myRsvp === 'going') await comeWithSeats(client, event, answer);
}

/** Takes the seats first: an RSVP without them would be a promise that the event cannot keep. */
async function comeWithSeats(client: Client, event: Event, { people, waitlist }: GivenAnswer): Promise<void> {
  const path = { id: event.id };
  const seats = people ?? partyOf(event);
  const { status } = await takeSeats(client, event, seats, waitlist);
  const isBooked = status === 'booked';
  await orPartlyDone(
    isBooked ? 'seats_without_rsvp' : 'waiting_without_rsvp',
    setRsvp({
      client,
      path,
      body: isBooked ? { status: 'going', extraGuests: extraGuestsOf(seats) } : { status: 'interested' },
    }),
  );
}

/**
 * Takes the seats of a person who has just said by a link or a code that they come. If they are not free, the page says that the
 * person has none.
 * @param guestToken null for the account that is signed in
 */
export async function takeSeatsToo(
  client: Client,
  event: Event,
  seats: number,
  guestToken: string | null,
): Promise<void> {
  if (!hasSeats(event)) return;
  const headers = guestToken === null ? {} : { authorization: `Bearer ${guestToken}` };
  try {
    await bookSeats({ client, path: { id: event.id }, headers, body: { seats } });
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
  }
}

/** Books seats, or changes their number. A repeated request, or one of another tab, changes nothing. */
async function takeSeats(client: Client, event: Event, seats: number, waitlist: boolean) {
  const path = { id: event.id };
  if (event.myBooking?.seats === seats) return { status: 'booked' };
  if (event.myWaitlist?.seats === seats) return { status: 'waiting' };
  if (!event.myBooking && !event.myWaitlist) {
    try {
      return (await bookSeats({ client, path, body: { seats, waitlist } })).data;
    } catch (error) {
      if (!isProblem(error, 'already_booked')) throw error;
    }
  }
  return (await changeBooking({ client, path, body: { seats } })).data;
}

/**
 * Declines the invitation of a visitor who has one, which ends all that they have at the event. Otherwise removes the RSVP and gives
 * the seats back. The seats are last: while they are held, the page says "You're going", so that a person whose request failed presses
 * again.
 * @param declines false for visitors who keep their claims, and for guests without an account
 * @throws ProblemError nothing was changed @throws PartlyDone
 */
export async function takeAnswerBack(
  client: Client,
  eventId: string,
  { declines = true }: { declines?: boolean } = {},
): Promise<void> {
  const path = { id: eventId };
  const { data: event } = await getEvent({ client, path });
  const { myInvitation } = event;
  if (myInvitation && declines) {
    await answerMyInvitation({ client, path: { id: myInvitation.id }, body: { status: 'declined' } });
    return;
  }
  await setRsvp({ client, path, body: { status: null } });
  await giveSeatsBack(client, event);
}

async function giveSeatsBack(client: Client, { id, myBooking, myWaitlist }: Event): Promise<void> {
  if (!myBooking && !myWaitlist) return;
  const ending = cancelBooking({ client, path: { id } }).catch((error: unknown) => {
    // Given back in another tab.
    if (!isProblem(error, 'booking_not_found')) throw error;
  });
  await orPartlyDone('seats_kept', ending);
}

async function orPartlyDone(code: PartlyDone['code'], rest: Promise<unknown>): Promise<void> {
  try {
    await rest;
  } catch (error) {
    if (error instanceof ResponseError) throw new PartlyDone(code, error);
    throw error;
  }
}
