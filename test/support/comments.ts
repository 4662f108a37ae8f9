/** Comments, in tests. */
import { type Api, expectStatus } from './setup.ts';

export type Comment = {
  id: string;
  author: { id: string; name: string; hasAccount: boolean };
  isOrganizer: boolean;
  text: string;
  replyTo: string | null;
  createdAt: string;
};
type Writer = { token: string };

export const commentsOf = (event: string): string => `/v1/events/${event}/comments`;

export const postComment = (
  api: Api,
  { token }: Writer,
  event: string,
  text: string,
  replyTo?: string | null,
) => api.post(commentsOf(event), token, { text, ...(replyTo !== undefined && { replyTo }) });

export const writeComment = async (
  api: Api,
  writer: Writer,
  event: string,
  text = 'Is there parking?',
  replyTo?: string,
): Promise<Comment> => expectStatus(await postComment(api, writer, event, text, replyTo), 201).body;

export const readComments = async (api: Api, reader: Writer | null, event: string): Promise<Comment[]> =>
  expectStatus(await api.get(`${commentsOf(event)}?limit=50`, reader?.token), 200).body.data;

/** Stores comments of a person, without the limits of a person in a day. */
export async function storeComments(api: Api, event: string, userId: string, count: number): Promise<void> {
  await api.sql`
    insert into comments (event_id, id, user_id, text, created_at)
    select ${event}::uuid, gen_random_uuid(), ${userId}::uuid, 'x', now() from generate_series(1, ${count}::int)`;
  await api.sql`
    insert into comment_counters (event_id, comment_count) values (${event}, ${count})
    on conflict (event_id) do update set comment_count = comment_counters.comment_count + excluded.comment_count`;
}
