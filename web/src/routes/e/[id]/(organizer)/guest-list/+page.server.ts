import {
  type Client,
  decideRequest,
  type Event,
  type Guest,
  getEventMails,
  getFeatures,
  type Invitation,
  listBookings,
  listGuests,
  listInvitations,
  listRequests,
} from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { type BringList, loadBringList } from '#lib/event/bring/server/claims.ts';
import { hasSeats } from '#lib/event/guests/answer.ts';
import { isDue, isUnanswered, nameOf } from '#lib/event/guests/invited-people.ts';
import { remindFrom } from '#lib/event/guests/server/remind.ts';
import { texts } from '#lib/forms/texts.ts';
import { sortedByName, withoutAccents } from '#lib/language/compare.ts';
import { loadAll } from '#lib/server/collect.ts';
import { formAction, type Submission } from '#lib/server/form-action.ts';
import { pageOf, readPageNumber, rowsPerPage } from '#lib/server/numbered-pages.ts';
import { load as read } from '#lib/server/problems.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import type { Actions, PageServerLoad } from './$types';

const answers = ['going', 'interested'] as const;
/** Parts of the list: those with an answer, those who come and bring nothing yet, and invited people who do not come. */
const parts = [...answers, 'nothing', 'pending', 'declined'] as const;
const orders = ['name', 'reply', 'brings'] as const;
/** Things that the row of a guest names. */
const maxBrought = 4;
/** Names are shorter. */
const maxSearch = 100;

export const load: PageServerLoad = async ({ locals: { api: client }, params: { id }, url, parent }) => {
  const { event } = await parent();
  const [{ rows, isCut }, bringList, mails, seats, requests, pending, declined] = await Promise.all([
    loadAll((query) => listGuests({ client, path: { id }, query })),
    loadBringList(client, id),
    countMails(client, id),
    countSeats(client, event),
    loadAll((query) => listRequests({ client, path: { id }, query })),
    loadInvited(client, id, 'pending'),
    loadInvited(client, id, 'declined'),
  ]);
  const asked = readQuery(url);
  const q = asked.text('q').slice(0, maxSearch);
  const part = parts.find((one) => one === asked.text('show')) ?? null;
  const searched = withoutAccents(q);
  const found = rows.filter(({ user }) => matches([user.name, user.username], searched));
  /** People who have answered on the page of the event are guests, whatever became of their invitation. */
  const answered = new Set(rows.map(({ user }) => user.id));
  const isWanted = (invitation: Invitation) =>
    !answered.has(invitation.user?.id ?? '') && matches([nameOf(invitation)], searched);
  const invited = { pending: pending.filter(isWanted), declined: declined.filter(isWanted) };
  const bringing = new Set(bringList.claims.map(({ user }) => user.id));
  const inPart = {
    going: found.filter(({ status }) => status === 'going'),
    interested: found.filter(({ status }) => status === 'interested'),
    nothing: found.filter(({ status, user }) => status === 'going' && !bringing.has(user.id)),
  };
  const order = orders.find((one) => one === asked.text('sort')) ?? 'name';
  const isOfInvited = part === 'pending' || part === 'declined';
  const wanted = inOrder(isOfInvited ? [] : part ? inPart[part] : found, order, bringList);
  const { rows: guests, ...pages } = pageOf(wanted, readPageNumber(url), rowsPerPage);
  const brought = toBrought(bringList, new Set(guests.map(({ user }) => user.id)));
  return {
    ...{ q, part, order, pages, mails, isCut: isCut || bringList.isCut },
    counts: {
      all: found.length + invited.pending.length + invited.declined.length,
      going: inPart.going.length,
      interested: inPart.interested.length,
      nothing: inPart.nothing.length,
      pending: invited.pending.length,
      declined: invited.declined.length,
    },
    // Behind the guests, on the first page alone; the page of invitations has all.
    invited: {
      pending: pages.page === 1 && isShown(part, 'pending') ? invited.pending.slice(0, rowsPerPage) : [],
      declined: pages.page === 1 && isShown(part, 'declined') ? invited.declined.slice(0, rowsPerPage) : [],
    },
    unanswered: pending.filter(isUnanswered).length,
    due: pending.filter(isDue).length,
    reminded: asked.text('reminded'),
    seating: compareSeats(rows, seats),
    things: countThings(bringList),
    requests: requests.rows,
    guests: guests.map((guest) => ({
      ...guest,
      seats: seats.get(guest.user.id) ?? 0,
      ...toLines(brought.get(guest.user.id) ?? []),
    })),
  };
};

export const actions: Actions = {
  remind: remindFrom('guest-list'),

  decide: formAction({
    access: 'people',
    fields: (form) => texts(form, 'userId', 'status'),
    send: ({ client, path }: Submission<{ id: string }>, { userId, status }) =>
      decideRequest({
        client,
        path: { id: path.id, userId },
        body: { status: status === 'approved' ? 'approved' : 'refused' },
      }),
    done: (_, __, { path }) => redirect(303, `/e/${path.id}/guest-list`),
  }),
};

type Part = (typeof parts)[number];
const isShown = (part: Part | null, of: Part): boolean => part === null || part === of;

const loadInvited = async (client: Client, id: string, status: 'pending' | 'declined') =>
  (await loadAll((query) => listInvitations({ client, path: { id }, query: { ...query, status } }))).rows;

/** What became of the mails to guests; null if there are none, and on a server that sends none. */
async function countMails(client: Client, id: string) {
  const features = await read(getFeatures({ client }));
  if (!features.mail) return null;
  const { queued, sent, failed, suppressed } = await read(getEventMails({ client, path: { id } }));
  const lost = failed + suppressed;
  return queued + sent + lost > 0 ? { queued, sent, lost } : null;
}

/** The seats that each person has booked, by their ids. */
async function countSeats(client: Client, event: Event): Promise<Map<string, number>> {
  if (!hasSeats(event)) return new Map();
  const path = { id: event.id };
  const { rows } = await loadAll((query) =>
    listBookings({ client, path, query: { ...query, status: 'booked' } }),
  );
  return new Map(rows.map(({ user, seats }) => [user.id, seats]));
}

/** How many of those who come have no seat, and how many of the booked seats are for nobody who comes. */
function compareSeats(guests: Guest[], seats: Map<string, number>) {
  const coming = new Map(
    guests.flatMap(({ user, status, extraGuests }) =>
      status === 'going' ? [[user.id, 1 + extraGuests] as const] : [],
    ),
  );
  const everybody = [...new Set([...coming.keys(), ...seats.keys()])];
  const spare = (id: string) => (seats.get(id) ?? 0) - (coming.get(id) ?? 0);
  const sumOf = (counts: number[]) => counts.reduce((sum, count) => sum + Math.max(0, count), 0);
  return {
    without: sumOf(everybody.map((id) => -spare(id))),
    spare: sumOf(everybody.map(spare)),
  };
}

const countThings = ({ items }: BringList) => ({
  claimed: items.reduce((sum, { quantityClaimed }) => sum + quantityClaimed, 0),
  needed: items.reduce((sum, { quantityNeeded }) => sum + quantityNeeded, 0),
});

/** @param searched a part of a name, without accents and capitals */
const matches = (names: string[], searched: string): boolean =>
  searched === '' || names.some((name) => withoutAccents(name).includes(searched));

/** Those who come first, each part in the order that the organizer chose. */
function inOrder(guests: Guest[], order: (typeof orders)[number], list: BringList): Guest[] {
  const byName = sortedByName(guests, ({ user }) => user.name);
  if (order === 'reply') byName.sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
  return (order === 'brings' ? byFirstThing(byName, list) : byName).sort(byAnswer);
}

/** By the title of the first thing that each brings, and then those who bring nothing. */
function byFirstThing(guests: Guest[], list: BringList): Guest[] {
  const brought = toBrought(list, new Set(guests.map(({ user }) => user.id)));
  const thingOf = ({ user }: Guest) => brought.get(user.id)?.[0]?.title;
  const bringing = guests.filter((guest) => thingOf(guest) !== undefined);
  const others = guests.filter((guest) => thingOf(guest) === undefined);
  return [...sortedByName(bringing, (guest) => thingOf(guest) ?? ''), ...others];
}

const byAnswer = (a: Guest, b: Guest): number => answers.indexOf(a.status) - answers.indexOf(b.status);

/** What each of some people brings, by their ids. */
function toBrought({ items, claims }: BringList, people: Set<string>) {
  const itemById = new Map(items.map((item) => [item.id, item]));
  const lines = claims
    .filter(({ user }) => people.has(user.id))
    .flatMap(({ itemId, user, quantity, note }) => {
      const item = itemById.get(itemId);
      const userId = user.id;
      return item ? [{ userId, id: item.id, emoji: item.emoji, title: item.title, quantity, note }] : [];
    });
  return Map.groupBy(lines, ({ userId }) => userId);
}

const toLines = <L>(lines: L[]) => ({
  brings: lines.slice(0, maxBrought),
  more: Math.max(lines.length - maxBrought, 0),
});
