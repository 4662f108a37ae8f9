/** The form of the settings of the instance, and the forms beside it. */
import {
  type Client,
  getFeatures,
  getSettings,
  listAdminMails,
  removeDemo,
  searchPlaces,
  sendTestMessage,
  updateSettings,
} from '@potluck/client';
import type { ServerLoadEvent } from '@sveltejs/kit';
import { texts } from '#lib/forms/texts.ts';
import { m } from '#lib/messages/index.js';
import { formAction, InvalidFields } from '#lib/server/form-action.ts';
import { load as read } from '#lib/server/problems.ts';
import type { PageFields } from '#lib/server/read-fields.ts';
import { requireAdmin } from '#lib/server/require-admin.ts';

type Change = NonNullable<Parameters<typeof updateSettings>[0]['body']>;

/** What a refused form keeps. Settings that the operator has set are not in it. */
export type EnteredSettings = { name?: string; language?: string; contact?: string; signIn?: string[] };

export function readSettings(form: PageFields): EnteredSettings {
  const entered = (['name', 'language', 'contact'] as const).filter((field) => form.has(field));
  return {
    ...texts(form, ...entered),
    // A hidden field is there also where no way is chosen.
    ...(form.has('signIn') && { signIn: form.getAll('signIn').filter((way) => way !== '') }),
  };
}

export const toChange = ({ contact, ...entered }: EnteredSettings): Change =>
  ({ ...entered, ...(contact !== undefined && { contact: contact || null }) }) as Change;

/** By code of a problem, the field that it is explained at. */
export const problemFields = { setting_refused: 'signIn' };

/** What a page with the forms of `toolActions` needs. */
export async function loadTools({ locals, url, depends }: ServerLoadEvent) {
  depends('app:settings');
  requireAdmin(locals, url);
  const { api: client, me } = locals;
  const [settings, { mail }, mails] = await Promise.all([
    read(getSettings({ client })),
    read(getFeatures({ client })),
    read(listAdminMails({ client, query: { limit: 10 } })),
  ]);
  /** The contacts of the admin to which the server can send messages. */
  const ways = [
    ...(me?.phone ? (['phone'] as const) : []),
    ...(me?.email && mail ? (['email'] as const) : []),
  ];
  /** The latest mail that the mail server has accepted or refused. */
  const lastMail = mails.data.find(({ state }) => state === 'sent' || state === 'failed');
  return { settings, ways, lastMail };
}

/** What admins do beside the settings. `tool`: which form the answer belongs to. */
export const toolActions = {
  test: formAction({
    access: 'admins',
    fields: (form) => ({ tool: 'test' as const, ...texts(form, 'to') }),
    send: ({ client }, { to }) => sendTestMessage({ client, body: { to: to as 'phone' | 'email' } }),
    done: ({ data }) => ({ tool: 'test' as const, tested: data }),
  }),
  demo: formAction({
    access: 'admins',
    fields: () => ({ tool: 'demo' as const }),
    send: ({ client }: { client: Client }) => removeDemo({ client }),
    done: () => ({ tool: 'demo' as const, isRemoved: true }),
  }),
  streets: formAction({
    access: 'admins',
    fields: (form) => ({ tool: 'streets' as const, ...texts(form, 'town') }),
    send: async ({ client }, { town }) =>
      updateSettings({ client, body: { streets: await findTown(client, town) } }),
    done: () => ({ tool: 'streets' as const }),
  }),
};

/** @throws InvalidFields without a town of the name */
async function findTown(client: Client, text: string): Promise<{ name: string; lat: number; lng: number }> {
  const found = text && (await searchPlaces({ client, query: { q: text, limit: 1 } })).data.data[0];
  if (!found) throw new InvalidFields({ town: m.instance_streets_unknown() });
  const { name, lat, lng } = found;
  return { name, lat, lng };
}
