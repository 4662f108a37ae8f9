import { defineModule } from '../../http/define-module.ts';
import type { UserServices } from '../users/services.ts';
import { notificationDeletionHooks } from './delete-account-data.ts';
import { notificationExportSections } from './export-sections.ts';
import { getNotificationSettings } from './get-notification-settings.ts';
import { notificationJobs } from './jobs.ts';
import { listNotifications } from './list-notifications.ts';
import { markNotificationRead } from './mark-notification-read.ts';
import { markNotificationsRead } from './mark-notifications-read.ts';
import { createPushSubscription } from './push/create-push-subscription.ts';
import { deletePushSubscription } from './push/delete-push-subscription.ts';
import { getPushKey } from './push/get-push-key.ts';
import { updateNotificationSettings } from './update-notification-settings.ts';

/** Inboxes of notifications, and web push. Lower modules store the causes in the outbox (src/outbox/). */
export const notifications = defineModule<UserServices>({
  name: 'notifications',
  endpoints: [
    getPushKey,
    createPushSubscription,
    deletePushSubscription,
    listNotifications,
    markNotificationRead,
    markNotificationsRead,
    getNotificationSettings,
    updateNotificationSettings,
  ],
  jobs: notificationJobs,
  deletionHooks: notificationDeletionHooks,
  exportSections: notificationExportSections,
});
