/** The page on which an organizer writes to the guests of an event, or of all dates of a series. */
import { type Announcement, type Client, changeAnnouncement, deleteAnnouncement } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { type Audience, audiences, guestAudiences } from '#lib/event/announcement-lists.ts';
import { newKey } from '#lib/event/form/server/event-form.ts';
import { toInstant } from '#lib/event/form/server/local-time.ts';
import { parseTime } from '#lib/event/form/wall-times.ts';
import { linesOf, texts } from '#lib/forms/texts.ts';
import { m } from '#lib/messages/index.js';
import { formAction, InvalidFields, type Submission } from '#lib/server/form-action.ts';
import type { PageFields } from '#lib/server/read-fields.ts';

type Path = { id: string };
type Body = { text: string; audience: Audience[]; sendAt?: string };
/** The caller and the event or series of a request, and the headers of one that writes. */
type Call = Pick<Submission<Path>, 'client' | 'path' | 'headers'>;

/** What the page calls of the API, for events or for series. `zone`: in which the organizer enters times. */
export type AnnouncedSubject = {
  list(client: Client, id: string): Promise<Announcement[]>;
  count(client: Client, id: string, audience: Audience[]): Promise<number>;
  create(call: Call, body: Body): Promise<{ data: { status: Announcement['status'] } }>;
  zone(client: Client, id: string): Promise<string>;
  pathOf(id: string): string;
};

export async function loadAnnouncements(
  subject: AnnouncedSubject,
  client: Client,
  id: string,
  query: PageFields,
) {
  const [announced, reached, ...counts] = await Promise.all([
    subject.list(client, id),
    subject.count(client, id, guestAudiences),
    ...audiences.map((audience) => subject.count(client, id, [audience])),
  ]);
  return {
    announced,
    reached,
    counts: Object.fromEntries(audiences.map((audience, i) => [audience, counts[i] ?? 0])) as Record<
      Audience,
      number
    >,
    done: query.has('scheduled') ? ('scheduled' as const) : query.has('sent') ? ('sent' as const) : null,
    key: newKey(),
  };
}

const readMessage = (form: PageFields) => ({
  ...texts(form, 'when', 'date', 'time', 'key'),
  text: linesOf(form.get('text')),
  audience: audiences.filter((audience) => form.getAll('audience').includes(audience)),
});
type Message = ReturnType<typeof readMessage>;

/** The body of the request. @throws InvalidFields */
async function toBody(
  subject: AnnouncedSubject,
  { client, path }: Pick<Call, 'client' | 'path'>,
  { text, audience, when, date, time }: Message,
): Promise<Body> {
  const fields: Record<string, string> = {};
  if (text.trim() === '') fields.text = m.field_required();
  if (audience.length === 0) fields.audience = m.organizer_write_nobody();
  const sendAt =
    when === 'later' ? readSendAt(await subject.zone(client, path.id), { date, time }, fields) : undefined;
  if (Object.keys(fields).length > 0) throw new InvalidFields(fields);
  return { text, audience, ...(sendAt !== undefined && { sendAt }) };
}

/** At the venue, as the times of the event. */
function readSendAt(
  zone: string,
  { date, time }: Pick<Message, 'date' | 'time'>,
  fields: Record<string, string>,
): string | undefined {
  const instant = toInstant({ date, time: parseTime(time) ?? '' }, zone);
  if ('at' in instant) return instant.at;
  fields.sendAt = m.field_timestamp();
  return undefined;
}

export const announcementActions = (subject: AnnouncedSubject) => ({
  preview: formAction({
    access: 'people',
    fields: readMessage,
    send: async (submission: Submission<Path>, message) => {
      const { audience, sendAt } = await toBody(subject, submission, message);
      const recipients = await subject.count(submission.client, submission.path.id, audience);
      return { recipients, sendAt: sendAt ?? null };
    },
    done: (preview, values) => ({ preview, values }),
  }),
  send: formAction({
    access: 'people',
    fields: readMessage,
    send: async ({ client, path, headers }: Submission<Path>, message) =>
      subject.create({ client, path, headers }, await toBody(subject, { client, path }, message)),
    done: ({ data }, _, { path }) => redirect(303, `${subject.pathOf(path.id)}?${data.status}`),
    keep: (values) => ({ ...values, key: newKey() }),
  }),
  change: formAction({
    access: 'people',
    fields: (form) => ({ ...texts(form, 'announcementId'), text: linesOf(form.get('text')) }),
    send: ({ client }: Submission<Path>, { announcementId: id, text }) =>
      changeAnnouncement({ client, path: { id }, body: { text } }),
    done: (_, __, { path }) => redirect(303, subject.pathOf(path.id)),
  }),
  remove: formAction({
    access: 'people',
    fields: (form) => texts(form, 'announcementId'),
    send: ({ client }: Submission<Path>, { announcementId: id }) =>
      deleteAnnouncement({ client, path: { id } }),
    done: (_, __, { path }) => redirect(303, subject.pathOf(path.id)),
  }),
});
