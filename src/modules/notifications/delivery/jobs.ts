/** The jobs that write and delete notifications. Runs of several servers at the same time are harmless. */
import { dayMs } from '#base';
import { type Database, transaction } from '#pg';
import type { Job } from '../../../http/define-module.ts';
import type { BaseServices } from '../../../http/services.ts';
import { deleteExpiredMailCounts } from '../../../mail/allowance.ts';
import { deleteOldMails, leaseMs } from '../../../mail/mails.ts';
import { storeSummaries } from '../mail/store-summaries.ts';
import { createPostPush } from '../push/post-push.ts';
import { PushPlaces } from '../push/push-places.ts';
import { deleteOldDeliveries } from '../push/push-repo.ts';
import { isPushPossible } from '../push/require-push.ts';
import { sendPushes } from '../push/send-pushes.ts';
import type { NotificationServices } from '../services.ts';
import { deliverCauses } from './deliver-causes.ts';
import { runFanOuts } from './fan-out.ts';
import { measureBacklogs } from './measure-backlogs.ts';
import { deleteOldNotifications } from './repo.ts';
import { startReminders } from './start-reminders.ts';

/** Deletes the notifications that are older than `retentionDays`. */
export async function deleteExpiredNotifications(
  db: Database,
  now: Date,
  retentionDays: number,
): Promise<void> {
  const before = new Date(now.getTime() - retentionDays * dayMs);
  while (await transaction(db, (tx) => deleteOldNotifications(tx, before)));
}

/** Deletes the mails that were sent or failed more than `retentionDays` ago. */
export async function deleteExpiredMails(db: Database, now: Date, retentionDays: number): Promise<void> {
  const before = new Date(now.getTime() - retentionDays * dayMs);
  while (await deleteOldMails(db, before));
  await deleteExpiredMailCounts(db, now);
}

const postPush = createPostPush();
const pushPlaces = new PushPlaces();

/** Web push is off without https; what was stored before is not sent. */
const sendPushesIfPossible = async (services: BaseServices): Promise<void> => {
  if (isPushPossible(services.config)) await sendPushes(services, postPush, pushPlaces);
};

const storeSummariesIfOn = async (services: NotificationServices): Promise<void> => {
  if (services.mailer.isOn) await storeSummaries(services);
};

export const notificationJobs: Job<NotificationServices>[] = [
  {
    name: 'deliver notifications',
    everyMs: 1_000,
    run: deliverCauses,
  },
  {
    // Apart from the causes, which a fan-out to 100,000 guests must not delay.
    name: 'notify the guests of events',
    everyMs: 1_000,
    run: runFanOuts,
  },
  { name: 'send pushes', everyMs: 1_000, run: sendPushesIfPossible },
  { name: 'send mails', everyMs: 1_000, run: ({ mailSender }) => mailSender.run() },
  {
    name: 'extend the leases of mails',
    everyMs: leaseMs / 4,
    run: ({ mailSender }) => mailSender.extendLeases(),
  },
  {
    name: 'measure backlogs',
    everyMs: 15_000,
    run: ({ db, clock }) => measureBacklogs(db, clock()),
  },
  { name: 'store the daily mails of organizers', everyMs: 10 * 60_000, run: storeSummariesIfOn },
  {
    name: 'start reminders',
    everyMs: 60_000,
    run: ({ db, clock }) => startReminders(db, clock()),
  },
  {
    name: 'delete old notifications and mails',
    everyMs: 60 * 60_000,
    run: async ({ db, clock, config }) => {
      await deleteExpiredNotifications(db, clock(), config.retention.notificationDays);
      await deleteExpiredMails(db, clock(), config.retention.mailDays);
      await deleteOldDeliveries(db, clock());
    },
  },
];
