import { loadTools, toolActions } from '#lib/admin/server/instance-form.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = loadTools;

export const actions: Actions = toolActions;
