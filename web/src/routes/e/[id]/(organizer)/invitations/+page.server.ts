import {
  type Client,
  type Event,
  invite,
  listGuests,
  listInvitations,
  searchUsers,
  sendInvitationAgain,
  withdrawInvitation,
} from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { renderSVG } from 'uqr';
import { whereOf } from '#lib/discovery/where.ts';
import { isClosed } from '#lib/event/event-status.ts';
import { isDue, isUnanswered } from '#lib/event/guests/invited-people.ts';
import { type ReadInvitee, readInvitees } from '#lib/event/guests/read-invitees.ts';
import { findPastGuests } from '#lib/event/guests/server/past-guests.ts';
import { remindFrom } from '#lib/event/guests/server/remind.ts';
import { toShared } from '#lib/event/server/shared-event.ts';
import { shareLinks } from '#lib/event/share-links.ts';
import { linesOf, texts } from '#lib/forms/texts.ts';
import { formatPeriod } from '#lib/language/format.ts';
import { m } from '#lib/messages/index.js';
import { loadAll } from '#lib/server/collect.ts';
import { formAction, InvalidFields, type Submission } from '#lib/server/form-action.ts';
import { pageOf, readPageNumber, rowsPerPage } from '#lib/server/numbered-pages.ts';
import { type PageFields, readQuery } from '#lib/server/read-fields.ts';
import type { Actions, PageServerLoad } from './$types';

const statuses = ['pending', 'going', 'interested', 'declined'] as const;

export const load: PageServerLoad = async ({
  locals: { api: client },
  params: { id },
  url,
  platform,
  parent,
}) => {
  const { event, me } = await parent();
  const [{ rows: stored, isCut }, guests] = await Promise.all([
    loadAll((query) => listInvitations({ client, path: { id }, query })),
    loadAll((query) => listGuests({ client, path: { id }, query })),
  ]);
  const answers = new Map(guests.rows.map(({ user, status }) => [user.id, status]));
  /** People may answer on the page of the event before their invitation reaches them. */
  const rows = stored.map((row) =>
    row.status === 'pending' && row.user ? { ...row, status: answers.get(row.user.id) ?? row.status } : row,
  );
  const asked = readQuery(url);
  const show = statuses.find((status) => status === asked.text('show')) ?? null;
  // A link for many has no answer of its own.
  const people = rows.filter(({ status }) => status !== null);
  const shown = show ? people.filter(({ status }) => status === show) : people;
  const { rows: invitations, ...pages } = pageOf(shown, readPageNumber(url), rowsPerPage);
  const invited = new Set(rows.flatMap(({ user }) => user?.id ?? []));
  const isOwn = event.organizer.id === me?.id;
  return {
    ...{ show, invitations, pages, isCut },
    links: show === null && pages.page === 1 ? rows.filter(({ status }) => status === null) : [],
    past: isOwn && !isClosed(event) ? await findPastGuests(client, id, invited) : [],
    sharing:
      event.visibility === 'private' ? null : toSharing(await toShared(event, { platform, url }), url.origin),
    counts: Object.fromEntries(
      statuses.map((status) => [status, rows.filter((row) => row.status === status).length]),
    ) as Record<(typeof statuses)[number], number>,
    total: rows.length,
    people: people.length,
    unanswered: stored.filter(isUnanswered).length,
    /** Whom a reminder reaches at most: some have been reminded often enough. */
    due: stored.filter(isDue).length,
    done: {
      made: asked.text('made'),
      existing: asked.text('existing'),
      waiting: asked.text('waiting'),
      reminded: asked.text('reminded'),
    },
  };
};

function toSharing(event: Event, origin: string) {
  const link = `${origin}/e/${event.id}`;
  const text = m.share_text({ title: event.title, when: formatPeriod(event), where: whereOf(event) });
  return {
    link,
    sending: shareLinks({ title: event.title, text, link }),
    qrCode: renderSVG(link, { ecc: 'M', border: 2 }),
  };
}

type OfEvent = Submission<{ id: string }>;

const readList = (form: PageFields) => ({
  list: linesOf(form.get('list')),
  message: linesOf(form.get('message')),
});
const backTo = ({ id }: { id: string }, result: Record<string, number>): never =>
  redirect(
    303,
    `/e/${id}/invitations?${new URLSearchParams(Object.entries(result).map(([name, n]) => [name, `${n}`]))}`,
  );
type Made = { data: { meta: { created: number; existing: number; waiting: { number: number } | null } } };
const showMade = ({ data: { meta } }: Made, _: unknown, { path }: OfEvent): never =>
  backTo(path, { made: meta.created, existing: meta.existing, waiting: meta.waiting?.number ?? 0 });

export const actions: Actions = {
  /** Shows what each line becomes. Nothing is stored. */
  check: formAction({
    access: 'people',
    fields: readList,
    send: async (_: OfEvent, { list }) => {
      if (readInvitees(list).length === 0) throw new InvalidFields({ list: m.field_required() });
    },
    done: (_, values) => ({ values, isChecked: true }),
  }),

  /** Goes back to the list. */
  edit: formAction({
    access: 'people',
    fields: readList,
    send: async (_: OfEvent) => {},
    done: (_, values) => ({ values, isChecked: false }),
  }),

  invite: formAction({
    access: 'people',
    fields: readList,
    send: async ({ client, path, headers }: OfEvent, { list, message }) =>
      invite({
        ...{ client, path, headers },
        body: { people: await toPeople(client, readInvitees(list)), ...(message && { message }) },
      }),
    done: showMade,
  }),

  /** Guests of earlier events. */
  again: formAction({
    access: 'people',
    fields: (form) => ({ people: form.getAll('userId').map(String) }),
    send: async ({ client, path, headers }: OfEvent, { people }) => {
      if (people.length === 0) throw new InvalidFields({ people: m.organizer_past_nobody() });
      return invite({ client, path, headers, body: { people: people.map((userId) => ({ userId })) } });
    },
    done: showMade,
  }),

  /** A link for many. */
  link: formAction({
    access: 'people',
    fields: (form) => texts(form, 'label', 'maxUses'),
    send: ({ client, path, headers }: OfEvent, { label, maxUses }) =>
      invite({
        ...{ client, path, headers },
        body: { people: [{ name: label, maxUses: Number(maxUses) || 0 }] },
      }),
    // Where the link is copied and printed
    done: ({ data }, _, { path }) => redirect(303, `/e/${path.id}/invitations/${data.data[0]?.id ?? ''}`),
  }),

  remind: remindFrom('invitations'),

  withdraw: formAction({
    access: 'people',
    fields: (form) => texts(form, 'invitation'),
    send: ({ client }: OfEvent, { invitation }) => withdrawInvitation({ client, path: { id: invitation } }),
    done: (_, __, { path }) => redirect(303, `/e/${path.id}/invitations`),
  }),

  send: formAction({
    access: 'people',
    fields: (form) => texts(form, 'invitation'),
    send: ({ client, headers }: OfEvent, { invitation }) =>
      sendInvitationAgain({ client, headers, path: { id: invitation } }),
    done: (_, __, { path }) => redirect(303, `/e/${path.id}/invitations`),
  }),
};

/** @throws InvalidFields for usernames that no account has, at the number of their line */
async function toPeople(client: Client, invitees: ReadInvitee[]) {
  const people = await Promise.all(
    invitees.map(async ({ kind, name, contact }) => {
      const named = name && { name };
      if (kind === 'email') return { ...named, email: contact };
      if (kind === 'phone') return { ...named, phone: contact };
      if (kind === 'link') return { name };
      const userId = await findUser(client, contact);
      return userId === null ? null : { userId };
    }),
  );
  const unknown = people.flatMap((person, i) =>
    person === null ? [[`people.${i}.userId`, m.problem_user_not_found()] as const] : [],
  );
  if (unknown.length > 0) throw new InvalidFields(Object.fromEntries(unknown));
  return people.filter((person) => person !== null);
}

async function findUser(client: Client, username: string): Promise<string | null> {
  if (username.length < 2 || username.length > 30) return null;
  const { data } = await searchUsers({ client, query: { q: username, limit: 50 } });
  return data.data.find((user) => user.username === username.toLowerCase())?.id ?? null;
}
