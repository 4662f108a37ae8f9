/** What the page of an event loads besides the event and its items. */
import type { Event } from '@potluck/client';

export const loadExtras = async (_event: Event, _locals: App.Locals) => ({});
