/** Invitations, in tests. */
import { deliverInvitations } from '../../src/modules/invitations/deliver.ts';
import type { InvitationServices } from '../../src/modules/invitations/services.ts';
import { createMailClient } from '../mail/mail-client.ts';
import { createNewsClient } from '../mail/news-client.ts';
import type { Person } from './factories.ts';
import type { ReceivedMail } from './mail-server.ts';
import { type Api, type ApiResponse, expectStatus, type TestApp } from './setup.ts';

/** An invitation, as responses have it. */
export type Invitation = {
  id: string;
  name: string | null;
  user: { id: string } | null;
  status: string | null;
  delivery: string;
  email: string | null;
  phone: string | null;
  url: string | null;
  uses: number;
};
type Made = {
  data: Invitation[];
  meta: { created: number; existing: number; waiting: { number: number; until: string } | null };
};

export const tryInvite = (
  api: Api,
  { token }: { token: string },
  eventId: string,
  people: object[],
  more: object = {},
): Promise<ApiResponse> => api.post(`/v1/events/${eventId}/invitations`, token, { people, ...more });

export const invite = async (...given: Parameters<typeof tryInvite>): Promise<Made> =>
  expectStatus(await tryInvite(...given), 201).body;

export const readInvitation = async (
  api: Api,
  { token }: { token: string },
  id: string,
): Promise<Invitation> => expectStatus(await api.get(`/v1/invitations/${id}`, token), 200).body;

/** The jobs that deliver invitations, with a mail server. */
export async function createInviter(api: TestApp) {
  const mails = await createMailClient(api, { PUBLIC_URL: 'https://events.example.org' });
  const news = createNewsClient(api, mails);
  const services = {
    db: api.sql,
    clock: api.clock.now,
    config: mails.config,
    mailer: { isOn: true },
    instance: { settings: async () => ({ signIn: ['phone', 'email'] }) },
  } as unknown as InvitationServices;
  const deliver = () => deliverInvitations(services);
  return {
    mails,
    texts: mails.texts,
    services,
    deliver,
    wordsOf: news.wordsOf,
    /** Runs all jobs. @returns the mails that were sent */
    mailed: async (): Promise<ReceivedMail[]> => {
      await deliver();
      return await news.mailed();
    },
  };
}

/** Makes an account as old as limits ask for. */
export const makeOld = async (api: TestApp, { id }: Person, days: number): Promise<void> => {
  await api.sql`update users set created_at = ${new Date(api.clock.now().getTime() - days * 86_400_000)} where id = ${id}`;
};
