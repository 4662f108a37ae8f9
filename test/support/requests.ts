/** Requests to join events, in tests. */
import type { Person } from './factories.ts';
import { type Api, type ApiResponse, expectStatus } from './setup.ts';

export const rsvpPath = (eventId: string) => `/v1/events/${eventId}/rsvp`;
export const requestsPath = (eventId: string) => `/v1/events/${eventId}/requests`;

export type Ask = {
  status?: 'going' | 'interested';
  extraGuests?: number;
  isHidden?: boolean;
  message?: string;
};

/** Asks to join, and expects that the request is pending. */
export async function askToJoin(api: Api, { token }: Pick<Person, 'token'>, eventId: string, ask: Ask = {}) {
  const { body } = expectStatus(
    await api.post(rsvpPath(eventId), token, { status: 'going', ...ask, ask: true }),
    200,
  );
  if (body.myRequest !== 'pending') throw new Error(`not pending: ${JSON.stringify(body)}`);
  return body;
}

export const decide = (
  api: Api,
  { token }: Pick<Person, 'token'>,
  { eventId, userId, status }: { eventId: string; userId: string; status: 'approved' | 'refused' },
): Promise<ApiResponse> => api.call('PUT', `${requestsPath(eventId)}/${userId}`, { token, body: { status } });
