import {
  type Client,
  changeAnnouncement,
  countAnnouncementRecipients,
  createAnnouncement,
  deleteAnnouncement,
  getEvent,
  listAnnouncements,
} from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { type Audience, audiences, guestAudiences } from '#lib/event/announcement-lists.ts';
import { newKey } from '#lib/event/form/server/event-form.ts';
import { toInstant } from '#lib/event/form/server/local-time.ts';
import { parseTime } from '#lib/event/form/wall-times.ts';
import { linesOf, texts } from '#lib/forms/texts.ts';
import { m } from '#lib/messages/index.js';
import { formAction, InvalidFields, type Submission } from '#lib/server/form-action.ts';
import { load as read } from '#lib/server/problems.ts';
import { type PageFields, readQuery } from '#lib/server/read-fields.ts';
import type { Actions, PageServerLoad } from './$types';

type Path = { id: string };

export const load: PageServerLoad = async ({ locals: { api: client }, params: { id }, url }) => {
  const [announced, reached, ...counts] = await Promise.all([
    read(listAnnouncements({ client, path: { id }, query: { limit: 50 } })),
    countRecipients(client, id, guestAudiences),
    ...audiences.map((audience) => countRecipients(client, id, [audience])),
  ]);
  const query = readQuery(url);
  return {
    announced: announced.data,
    reached,
    counts: Object.fromEntries(audiences.map((audience, i) => [audience, counts[i] ?? 0])) as Record<
      Audience,
      number
    >,
    done: query.has('scheduled') ? ('scheduled' as const) : query.has('sent') ? ('sent' as const) : null,
    key: newKey(),
  };
};

const countRecipients = async (client: Client, id: string, audience: Audience[]): Promise<number> =>
  (await read(countAnnouncementRecipients({ client, path: { id }, query: { audience: audience.join() } })))
    .recipients;

const readMessage = (form: PageFields) => ({
  ...texts(form, 'when', 'date', 'time', 'key'),
  text: linesOf(form.get('text')),
  audience: audiences.filter((audience) => form.getAll('audience').includes(audience)),
});
type Message = ReturnType<typeof readMessage>;

/** The body of the request. @throws InvalidFields */
async function toBody({ client, path }: Submission<Path>, { text, audience, when, date, time }: Message) {
  const fields: Record<string, string> = {};
  if (text.trim() === '') fields.text = m.field_required();
  if (audience.length === 0) fields.audience = m.organizer_write_nobody();
  const sendAt = when === 'later' ? await readSendAt({ client, path }, { date, time }, fields) : undefined;
  if (Object.keys(fields).length > 0) throw new InvalidFields(fields);
  return { text, audience, ...(sendAt !== undefined && { sendAt }) };
}

/** At the venue, as the times of the event. */
async function readSendAt(
  { client, path }: Pick<Submission<Path>, 'client' | 'path'>,
  { date, time }: Pick<Message, 'date' | 'time'>,
  fields: Record<string, string>,
): Promise<string | undefined> {
  const { data: event } = await getEvent({ client, path });
  const instant = toInstant({ date, time: parseTime(time) ?? '' }, event.timezone);
  if ('at' in instant) return instant.at;
  fields.sendAt = m.field_timestamp();
  return undefined;
}

export const actions: Actions = {
  preview: formAction({
    access: 'people',
    fields: readMessage,
    send: async (submission: Submission<Path>, message) => {
      const { audience, sendAt } = await toBody(submission, message);
      const recipients = await countRecipients(submission.client, submission.path.id, audience);
      return { recipients, sendAt: sendAt ?? null };
    },
    done: (preview, values) => ({ preview, values }),
  }),
  send: formAction({
    access: 'people',
    fields: readMessage,
    send: async (submission: Submission<Path>, message) => {
      const { client, path, headers } = submission;
      return createAnnouncement({ client, path, headers, body: await toBody(submission, message) });
    },
    done: ({ data }, _, { path }) => redirect(303, `/e/${path.id}/announcements?${data.status}`),
    keep: (values) => ({ ...values, key: newKey() }),
  }),
  change: formAction({
    access: 'people',
    fields: (form) => ({ ...texts(form, 'announcementId'), text: linesOf(form.get('text')) }),
    send: ({ client }: Submission<Path>, { announcementId: id, text }) =>
      changeAnnouncement({ client, path: { id }, body: { text } }),
    done: (_, __, { path }) => redirect(303, `/e/${path.id}/announcements`),
  }),
  remove: formAction({
    access: 'people',
    fields: (form) => texts(form, 'announcementId'),
    send: ({ client }: Submission<Path>, { announcementId: id }) =>
      deleteAnnouncement({ client, path: { id } }),
    done: (_, __, { path }) => redirect(303, `/e/${path.id}/announcements`),
  }),
};
