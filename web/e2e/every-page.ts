/** The addresses of every page, with data. Without addresses of a route, the tests do not compile. */

import {
  addGuests,
  blockUser,
  bookSeats,
  followUser,
  invite,
  listReports,
  repeatEvent,
  report,
  sendMessage,
  suspendAccount,
} from '@potluck/client';
import type { PageRouteId } from '$app/types';
import { claim, goTo, importCalendar, newEvent, newItem, type Person } from './fixtures.ts';

export type People = { organizer: Person; guest: Person; admin: Person; suspended: Person };

type Paths = Record<PageRouteId, string[]>;

const pathsBy = <Route extends string>(routes: Route[], pathOf: (route: Route) => string) =>
  Object.fromEntries(routes.map((route) => [route, [pathOf(route)]])) as { [R in Route]: string[] };

/** Pages whose address is their route. */
const fixed = <Route extends PageRouteId>(...routes: Route[]) => pathsBy(routes, (route) => route);

/** Pages of an event for its organizer. */
const ofOrganizer = <Name extends string>(id: string, ...names: Name[]) =>
  pathsBy(
    names.map((name) => `/e/[id]/(organizer)/${name}` as const),
    (route) => route.replace('[id]/(organizer)', id),
  );

/** Creates what pages show, and returns the addresses by the id of their route. */
export async function createPages(people: People): Promise<Paths> {
  const { organizer, guest, admin } = people;
  const event = await createEventWithGuests(people);
  const full = await newEvent(organizer, { title: 'Full table', capacity: 1 });
  await book(admin, full.id);
  await book(guest, full.id);
  await exchangeMessages(people);
  const reportId = await createReport(people, event.id);
  const series = await createSeriesOf(organizer);
  const calendar = await importCalendar(organizer);
  const correspondents = [organizer, guest].map(({ id }) => `/messages/${id}`);
  return {
    ...fixed('/admin', '/admin/audit', '/admin/mails', '/admin/mails/preview', '/admin/people'),
    ...fixed('/admin/reports', '/admin/settings', '/admin/switches', '/calendar', '/design', '/feed'),
    ...fixed(
      '/goodbye',
      '/import',
      '/messages',
      '/new',
      '/notifications',
      '/notifications/settings',
      '/offline',
    ),
    ...fixed('/settings/account', '/settings/blocked', '/settings/calendar', '/settings/delete'),
    ...fixed('/settings/devices', '/settings/language', '/settings/sign-in', '/setup/ready'),
    ...fixed('/sign-in', '/sign-in/link', '/sign-out', '/suspended'),
    ...ofOrganizer(
      event.id,
      'announcements',
      'bookings',
      'bring',
      'cancel',
      'delete',
      'duplicate',
      'edit',
      'guest-list',
      'invitations',
      'items',
      'repeat',
    ),
    '/': ['/', '/?view=map', '/?filters=1', '/?q=nothing+has+this+name'],
    '/admin/reports/[id]': [`/admin/reports/${reportId}`],
    '/e/[id]': [event, full].map(({ id }) => `/e/${id}`),
    '/e/[id]/(organizer)/guest-list/add': [`/e/${event.id}/guest-list/add`],
    '/e/[id]/(organizer)/guest-list/[userId]': [
      `/e/${event.id}/guest-list/${guest.id}`,
      `/e/${event.id}/guest-list/${event.addedGuestId}`,
    ],
    '/e/[id]/(organizer)/invitations/[invitation]': [`/e/${event.id}/invitations/${event.invitationId}`],
    '/e/[id]/answer': [`/e/${event.id}/answer`],
    '/e/[id]/comments': [`/e/${event.id}/comments`],
    '/e/[id]/guests': [`/e/${event.id}/guests`],
    '/e/[id]/share': [`/e/${event.id}/share`],
    '/embed/[id]': [`/embed/${event.id}`],
    '/i/[token]': await createInvitations(organizer, event.id),
    '/import/[id]': [`/import/${calendar}`],
    '/messages/[id]': correspondents,
    '/mine': ['/mine', '/mine?tab=claims', '/mine?tab=invitations'],
    '/people': ['/people', '/people?q=a'],
    '/report': [`/report?type=event&id=${event.id}`],
    // A server that is set up has no such page.
    '/series/[id]': [`/series/${series}`],
    '/series/[id]/announcements': [`/series/${series}/announcements`],
    '/series/[id]/guests': [`/series/${series}/guests`],
    '/setup': [],
    '/settings/[[section]]': ['/settings', '/settings/profile'],
    // Others are asked for their name by it.
    '/sign-in/name': ['/sign-in/name'],
    '/sign-in/oidc': ['/sign-in/oidc?state=unknown'],
    '/u/[id]': [`/u/${organizer.id}`, `/u/${guest.id}?when=past`],
    '/u/[id]/followers': [`/u/${organizer.id}/followers`],
    '/u/[id]/following': [`/u/${guest.id}/following`],
    // Made by no server: the page shows the kind.
    '/unsubscribe': ['/unsubscribe?token=reminder.AZei9GweejSaUS8M'],
  };
}

async function createSeriesOf(organizer: Person): Promise<string> {
  const event = await newEvent(organizer, { title: 'Choir' });
  const { data } = await repeatEvent({
    client: organizer.client,
    path: { id: event.id },
    body: { rrule: 'FREQ=WEEKLY;COUNT=3' },
  });
  return data.id;
}

/** An event with seats, of which all people have booked some, and a list with claims. */
async function createEventWithGuests({ organizer, guest, admin }: People) {
  const description = 'Bring what you like.\nhttps://example.org';
  const event = await newEvent(organizer, { description, capacity: 9, guestListVisibility: 'everyone' });
  const bread = await newItem(organizer, event.id);
  const plates = await newItem(organizer, event.id, { title: 'Plates', kind: 'wish' });
  for (const person of [guest, admin]) {
    await book(person, event.id);
    await goTo(person, event.id);
  }
  await claim(guest, bread.id, 2, 'Rye');
  await claim(admin, plates.id);
  const { data } = await addGuests({
    client: organizer.client,
    path: { id: event.id },
    body: { guests: [{ name: 'Ida', extraGuests: 1 }] },
  });
  await invite({
    client: organizer.client,
    path: { id: event.id },
    body: { people: [{ userId: guest.id }] },
  });
  const invited = await invite({
    client: organizer.client,
    path: { id: event.id },
    body: { people: [{ name: 'Ana' }] },
  });
  return { ...event, addedGuestId: data.data[0]?.user.id, invitationId: invited.data.data[0]?.id };
}

/** The links of an invitation of one person, and of one for many. */
async function createInvitations({ client }: Person, id: string): Promise<string[]> {
  const people = [{ name: 'Ida' }, { name: 'The choir', maxUses: 9 }];
  const { data } = await invite({ client, path: { id }, body: { people, message: 'Come along!' } });
  return data.data.map(({ url }) => new URL(url ?? '').pathname);
}

const book = ({ client }: Person, id: string) =>
  bookSeats({ client, path: { id }, body: { seats: 1, waitlist: true } });

/** Each of the people has received messages. */
async function exchangeMessages({ organizer, guest, admin }: People): Promise<void> {
  const pairs = [
    [guest, organizer],
    [organizer, guest],
    [guest, admin],
  ] as const;
  for (const [{ client }, { id }] of pairs)
    for (const text of ['I bring bread.', 'And butter.'])
      await sendMessage({ client, path: { id }, body: { text } });
}

/** A report, a suspended person, and people who follow and block others. @returns the id of the report */
async function createReport({ guest, organizer, admin, suspended }: People, id: string): Promise<string> {
  await followUser({ client: guest.client, path: { id: organizer.id } });
  await followUser({ client: organizer.client, path: { id: guest.id } });
  for (const { client } of [guest, organizer, admin]) await blockUser({ client, path: { id: suspended.id } });
  await report({ client: guest.client, body: { subject: { type: 'event', id }, reason: 'other' } });
  const { data } = await listReports({ client: admin.client });
  await suspendAccount({ client: admin.client, path: { id: suspended.id }, body: { reason: 'Of the test' } });
  return data.data[0]?.id ?? '';
}
