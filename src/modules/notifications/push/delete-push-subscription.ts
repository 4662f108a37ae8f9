import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { Success } from '../../../http/schemas.ts';
import type { BaseServices } from '../../../http/services.ts';
import { actAs } from '../../../identity/act-as.ts';
import { Problem } from '../../../lib/errors.ts';
import { readId } from '../../../lib/ids.ts';
import { deleteSubscription } from './push-repo.ts';
import { PushSubscriptionParams } from './schemas.ts';

export const deletePushSubscription = defineEndpoint({
  method: 'DELETE',
  path: '/v1/push/subscriptions/:id',
  summary: 'Stop sending your notifications to a browser',
  description: 'The end of its session, or of the subscription in the browser, has the same effect.',
  caller: 'fresh',
  params: PushSubscriptionParams,
  response: { 200: Success },
  problems: ['push_subscription_not_found'],

  async handler({ caller, params }, { db }: BaseServices) {
    const id = readId(params.id, 'push_subscription_not_found');
    const isDeleted = await actAs(db, caller, (tx) => deleteSubscription(tx, caller.id, id));
    if (!isDeleted) throw new Problem('push_subscription_not_found');
    return { status: 200, body: { success: true as const } };
  },
});
