/** Fixed people, events and relations, so that the body of every read can be predicted for every caller. */
import {
  createAdmin,
  createItem,
  createUpload,
  createUser,
  eventBody,
  type Person,
} from '../../test/support/factories.ts';
import { type Api, expectStatus } from '../../test/support/setup.ts';

/** The address of the server in its responses. */
export const publicUrl = 'http://127.0.0.1:1';

/**
 * `olga` organizes the events and has blocked `blocked`; `guest` takes part in them; `hermit` has a private
 * profile and follows `guest` alone; `stranger` has nothing to do with them and organizes an event of their
 * own.
 */
const names = ['olga', 'guest', 'stranger', 'blocked', 'hermit', 'admin'] as const;
export type Name = (typeof names)[number];
export type Viewer = Name | 'anonymous';
export const viewers: Viewer[] = ['anonymous', ...names];

export type Profile = Person & { name: string; bio: string; city: string; createdAt: string };
export type World = {
  people: Record<Name, Profile>;
  /** The fields of events and other resources that the world sent, and those that the server added. */
  events: Record<'open' | 'unlisted' | 'draft' | 'cancelled' | 'blockedParty' | 'jam', WorldEvent>;
  items: { bread: WorldItem; kettle: WorldItem; secret: WorldItem };
  claim: { id: string; createdAt: string };
  booking: { id: string; createdAt: string };
  messages: { id: string; from: Name; to: Name; text: string; createdAt: string }[];
  /** A guest whom the organizer added to `open`. */
  added: { id: string; name: string };
  /** To those who go to `open`. */
  announcement: { id: string; text: string; sendAt: string; sentAt: string; createdAt: string };
  /** Of `guest`, on `open`. */
  comment: { id: string; text: string; createdAt: string };
  /** Of `hermit`, to join `jam`. */
  request: { createdAt: string };
  /** Of `hermit`, to `draft`. */
  invitation: { id: string; createdAt: string };
  report: { id: string; createdAt: string };
  upload: { id: string; url: string };
};
export type WorldEvent = ReturnType<typeof eventBody> & {
  id: string;
  organizer: Name;
  createdAt: string;
  updatedAt: string;
  visibility: string;
  status: string;
  capacity: number;
};
export type WorldItem = { id: string; event: string; title: string; kind: string; quantityNeeded: number };

const displayName = (name: Name) => `Quill ${name[0]?.toUpperCase()}${name.slice(1)}`;

async function createPeople(api: Api): Promise<Record<Name, Profile>> {
  const people: Partial<Record<Name, Profile>> = {};
  for (const name of names) {
    const person = name === 'admin' ? await createAdmin(api) : await createUser(api);
    const profile = {
      name: displayName(name),
      username: `quill.${name}`,
      bio: `The bio of ${name}.`,
      city: `The city of ${name}`,
    };
    const isPrivate = name === 'hermit';
    const { body } = expectStatus(await api.patch('/v1/me', person.token, { ...profile, isPrivate }), 200);
    people[name] = { ...person, ...profile, createdAt: body.createdAt };
  }
  return people as Record<Name, Profile>;
}

export async function createWorld(api: Api): Promise<World> {
  const people = await createPeople(api);
  const { olga, guest, stranger, blocked, hermit } = people;
  const post = async (path: string, by: Person, body: unknown, status: number) =>
    expectStatus(await api.post(path, by.token, body), status).body;
  const relate = (from: Person, action: string, to: Person) =>
    post(`/v1/users/${to.id}/${action}`, from, undefined, 200);
  const event = async (organizer: Name, title: string, more: object = {}): Promise<WorldEvent> => {
    const body = eventBody({ title, description: `About ${title}.`, ...more });
    const { id, createdAt } = await post('/v1/events', people[organizer], body, 201);
    const rest = { visibility: 'public', status: 'scheduled', capacity: 0, ...body };
    return { ...rest, id, organizer, createdAt, updatedAt: '' };
  };
  await relate(guest, 'follow', olga);
  await relate(olga, 'follow', guest);
  await relate(hermit, 'follow', guest);
  await relate(olga, 'block', blocked);
  const events = {
    open: await event('olga', 'Quill open', { capacity: 10 }),
    unlisted: await event('olga', 'Quill unlisted', { visibility: 'unlisted' }),
    draft: await event('olga', 'Quill draft', { visibility: 'private' }),
    cancelled: await event('olga', 'Quill cancelled'),
    blockedParty: await event('blocked', 'Quill party'),
    jam: await event('stranger', 'Quill jam', { rsvpApproval: 'organizer' }),
  };
  const cancelling = await api.patch(`/v1/events/${events.cancelled.id}`, olga.token, {
    status: 'cancelled',
  });
  expectStatus(cancelling, 200);
  events.cancelled.status = 'cancelled';
  const item = async (of: WorldEvent, fields: { title: string; kind: string; quantityNeeded: number }) => {
    const { id } = await createItem(api, olga, of.id, fields);
    return { id, event: of.id, ...fields };
  };
  const items = {
    bread: await item(events.open, { title: 'Bread', kind: 'bring', quantityNeeded: 3 }),
    kettle: await item(events.open, { title: 'Kettle', kind: 'wish', quantityNeeded: 1 }),
    secret: await item(events.draft, { title: 'Secret cake', kind: 'bring', quantityNeeded: 2 }),
  };
  const { open } = events;
  await post(`/v1/events/${open.id}/rsvp`, guest, { status: 'going' }, 200);
  await post(`/v1/events/${open.id}/rsvp`, stranger, { status: 'interested' }, 200);
  await post(`/v1/events/${open.id}/save`, guest, { saved: true }, 200);
  const claim = await post(`/v1/items/${items.bread.id}/claim`, guest, { quantity: 2, note: 'Rye' }, 201);
  const booking = await post(`/v1/events/${open.id}/booking`, guest, { seats: 2 }, 201);
  const message = async (from: Name, to: Name, text: string) => {
    const sent = await post(`/v1/users/${people[to].id}/messages`, people[from], { text }, 201);
    return { id: sent.id, from, to, text, createdAt: sent.createdAt };
  };
  const messages = [
    await message('guest', 'olga', 'Is there a kettle?'),
    await message('olga', 'guest', 'Not yet.'),
    await message('hermit', 'stranger', 'Where do you play?'),
  ];
  const talk = await createTalk(api, people, events);
  const subject = { type: 'event', id: open.id };
  const report = await post('/v1/reports', stranger, { subject, reason: 'spam', text: 'Seen twice.' }, 201);
  const upload = await createUpload(api, guest);
  return { people, events, items, claim, booking, messages, ...talk, report, upload };
}

/** What organizers and guests write to each other. */
async function createTalk(
  api: Api,
  { olga, guest, hermit, stranger }: World['people'],
  { open, draft, jam }: World['events'],
): Promise<Pick<World, 'added' | 'announcement' | 'comment' | 'request' | 'invitation'>> {
  const post = async (path: string, by: Person, body: object, status = 201) =>
    expectStatus(await api.post(path, by.token, body), status).body;
  const { data: guests } = await post(`/v1/events/${open.id}/guests`, olga, { guests: [{ name: 'Ida' }] });
  const announced = { text: 'Quill doors at six', audience: ['going'] };
  const { id, text, sendAt, sentAt, createdAt } = await post(
    `/v1/events/${open.id}/announcements`,
    olga,
    announced,
  );
  const comment = await post(`/v1/events/${open.id}/comments`, guest, { text: 'Quill comes by train' });
  const asking = { status: 'going', extraGuests: 1, ask: true, message: 'Quill asks' };
  await post(`/v1/events/${jam.id}/rsvp`, hermit, asking, 200);
  const { body: requests } = expectStatus(
    await api.get(`/v1/events/${jam.id}/requests`, stranger.token),
    200,
  );
  const inviting = { people: [{ userId: hermit.id }], message: 'Quill invites you' };
  const { data: invitations } = await post(`/v1/events/${draft.id}/invitations`, olga, inviting);
  return {
    added: guests[0].user,
    announcement: { id, text, sendAt, sentAt, createdAt },
    comment: { id: comment.id, text: comment.text, createdAt: comment.createdAt },
    request: { createdAt: requests.data[0].createdAt },
    invitation: { id: invitations[0].id, createdAt: invitations[0].createdAt },
  };
}
