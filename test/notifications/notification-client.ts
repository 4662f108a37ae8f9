/** Runs the jobs of notifications and reads inboxes, for tests. */
import { deliverCauses } from '../../src/modules/notifications/delivery/deliver-causes.ts';
import { runFanOuts } from '../../src/modules/notifications/delivery/fan-out.ts';
import { startReminders } from '../../src/modules/notifications/delivery/start-reminders.ts';
import type { Person } from '../support/factories.ts';
import { expectStatus, type TestApp } from '../support/setup.ts';

type EventOfChange = { title: string; startAt: string; location: { address: string; lat: number } };

export type InboxEntry = {
  id: string;
  kind: string;
  isRead: boolean;
  count: number;
  person: { id: string } | null;
  isFollowing: boolean;
  event: { id: string; status: string; location: { isExact: boolean } } | null;
  answer: string | null;
  people: number | null;
  changes: { parts: string[]; before: EventOfChange; after: EventOfChange } | null;
  announcement: { id: string; text: string } | null;
  bringing: { kind: string; title: string; quantity: number }[];
};

const at = (hours: number): Date => new Date(Date.now() + hours * 3_600_000);

export function createNotificationClient(api: TestApp) {
  const read = async (person: Person, query = '') =>
    expectStatus(await api.get(`/v1/notifications${query}`, person.token), 200).body;
  return {
    /** Runs the jobs of a server until nothing is left. @param hours by how much the server's clock is ahead */
    deliver: async (server: TestApp = api, hours = 0): Promise<void> => {
      const services = { db: server.sql, clock: () => at(hours), mailer: { isOn: false } };
      await Promise.all([deliverCauses(services), runFanOuts(services)]);
    },
    /** Starts the reminders that are due in some hours. */
    remind: (hours = 0) => startReminders(api.sql, at(hours)),
    read,
    inbox: async (person: Person): Promise<InboxEntry[]> => (await read(person, '?limit=50')).data,
    /** The inbox in short: kind, `×` count, and `!` if unread. */
    summary: async (person: Person): Promise<string[]> =>
      (await read(person, '?limit=50')).data.map(
        ({ kind, count, isRead }: InboxEntry) => `${kind}×${count}${isRead ? '' : '!'}`,
      ),
    markRead: (person: Person, id: string) => api.post(`/v1/notifications/${id}/read`, person.token),
    markReadUpTo: (person: Person, upTo: unknown) =>
      api.post('/v1/notifications/read', person.token, { upTo }),
    set: async (person: Person, settings: object) =>
      expectStatus(await api.patch('/v1/notifications/settings', person.token, settings), 200).body,
  };
}
