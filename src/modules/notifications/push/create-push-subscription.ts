import { defineEndpoint } from '../../../http/define-endpoint.ts';
import type { BaseServices } from '../../../http/services.ts';
import { actAs } from '../../../identity/act-as.ts';
import { storeSubscription } from './push-repo.ts';
import { requirePush } from './require-push.ts';
import { NewPushSubscription, PushSubscription, readSubscription } from './schemas.ts';

export const createPushSubscription = defineEndpoint({
  method: 'POST',
  retry: 'repeatable',
  path: '/v1/push/subscriptions',
  summary: 'Send your notifications to this browser',
  description:
    'The body is what `PushSubscription.toJSON()` returns. Each session has one subscription, which ends with the ' +
    'session: repeating the request changes it. Of each person, the latest 20 subscriptions remain. The settings ' +
    'decide which kinds are sent. A push contains `id`, `kind`, `count`, `person` (`id`, `name`) and `event` (`id`, ' +
    '`title`, `startAt`, `timezone`) of a notification as JSON, encrypted for the browser.',
  caller: 'fresh',
  body: NewPushSubscription,
  response: { 201: PushSubscription },
  problems: ['push_unavailable'],

  async handler({ caller, body }, { db, clock, config }: BaseServices) {
    requirePush(config);
    const subscription = readSubscription(body);
    const id = await actAs(db, caller, (tx) => storeSubscription(tx, caller, subscription, clock()));
    return { status: 201, body: { id } };
  },
});
