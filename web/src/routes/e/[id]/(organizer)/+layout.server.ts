import { requireOwnEvent } from '#lib/event/server/require-own-event.ts';
import type { LayoutServerLoad } from './$types';

export const load: LayoutServerLoad = async ({ locals, params, url }) => ({
  event: await requireOwnEvent(locals, params.id, url),
});
