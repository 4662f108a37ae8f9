/** Announcements in tests. */
import { sendAnnouncements } from '../../src/modules/announcements/send-announcements.ts';
import type { Person } from '../support/factories.ts';
import { type Api, expectStatus, type TestApp } from '../support/setup.ts';

export type Announced = {
  id: string;
  author: { id: string };
  text: string;
  audience: string[];
  status: string;
  sendAt: string;
  sentAt: string | null;
  editedAt: string | null;
  createdAt: string;
  recipients?: number | null;
};

export const announcementsPath = (eventId: string): string => `/v1/events/${eventId}/announcements`;

export function createAnnouncementClient(api: Api) {
  const list = async (eventId: string, person?: Pick<Person, 'token'>, query = ''): Promise<Announced[]> =>
    expectStatus(await api.get(announcementsPath(eventId) + query, person?.token), 200).body.data;
  return {
    announce: async (person: Person, eventId: string, fields: object = {}): Promise<Announced> =>
      expectStatus(
        await api.post(announcementsPath(eventId), person.token, { text: 'Bring slippers!', ...fields }),
        201,
      ).body,
    list,
    /** The texts that a person may read. */
    texts: async (eventId: string, person?: Pick<Person, 'token'>): Promise<string[]> =>
      (await list(eventId, person)).map(({ text }) => text),
    recipients: async (person: Person, eventId: string, audience?: string): Promise<number> => {
      const query = audience === undefined ? '' : `?audience=${audience}`;
      return expectStatus(
        await api.get(`${announcementsPath(eventId)}/recipients${query}`, person.token),
        200,
      ).body.recipients;
    },
  };
}

/** Runs the job that sends what is due. */
export const sendDue = (server: Pick<TestApp, 'sql' | 'clock'>): Promise<void> =>
  sendAnnouncements({ db: server.sql, clock: server.clock.now });

export const inHours = (hours: number, from = Date.now()): string =>
  new Date(from + hours * 3_600_000).toISOString();
