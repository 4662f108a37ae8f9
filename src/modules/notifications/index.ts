import { defineModule } from '../../http/define-module.ts';
import { notificationDeletionHooks } from './delete-account-data.ts';
import { notificationJobs } from './delivery/jobs.ts';
import { notificationExportSections } from './export-sections.ts';
import { getNotificationSettings } from './get-notification-settings.ts';
import { listNotifications } from './list-notifications.ts';
import { getEventMails } from './mail/get-event-mails.ts';
import { markNotificationRead, markNotificationsRead } from './mark-notifications-read.ts';
import { createPushSubscription } from './push/create-push-subscription.ts';
import { deletePushSubscription } from './push/delete-push-subscription.ts';
import { getPushKey } from './push/get-push-key.ts';
import type { NotificationServices } from './services.ts';
import { updateNotificationSettings } from './update-notification-settings.ts';

/** Inboxes of notifications, web push and mails. Lower modules store the causes in the outbox (src/outbox/). */
export const notifications = defineModule<NotificationServices>({
  tag: 'Notifications',
  endpoints: {
    getPushKey,
    createPushSubscription,
    deletePushSubscription,
    listNotifications,
    markNotificationRead,
    markNotificationsRead,
    getNotificationSettings,
    getEventMails,
    updateNotificationSettings,
  },
  jobs: notificationJobs,
  deletionHooks: notificationDeletionHooks,
  exportSections: notificationExportSections,
  setup: (app, { mailSender }) => {
    app.addHook('onClose', () => mailSender.stop());
  },
});
