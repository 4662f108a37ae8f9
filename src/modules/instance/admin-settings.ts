import { auditContextOf } from '../../audit/audit.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { actAsAdmin } from '../../identity/act-as-admin.ts';
import { contactsOf } from '../../lib/contact.ts';
import { requireMe } from '../accounts/profile/repo.ts';
import { canSignInWith } from '../accounts/sign-in/ways.ts';
import { InstanceSettings, SettingsChange } from './schemas.ts';
import type { InstanceServices } from './services.ts';
import { readChange, readSettings, refuseSetting, storeChange } from './settings.ts';

const common = { path: '/v1/admin/settings', caller: 'admin', response: { 200: InstanceSettings } } as const;

export const getSettings = defineEndpoint({
  ...common,
  method: 'GET',
  summary: 'Get the settings of the instance',
  description: 'For admins.',

  handler: async (_request, services: InstanceServices) => ({
    status: 200,
    body: await readSettings(services),
  }),
});

export const updateSettings = defineEndpoint({
  ...common,
  method: 'PATCH',
  summary: 'Change the settings of the instance',
  description:
    'For admins. Settings that are left out do not change. On every server, the change applies to all requests that begin after ' +
    'the response. `signIn` must keep a way with which the caller can sign in.',
  body: SettingsChange,
  problems: ['setting_refused'],

  async handler({ caller, body, request }, services: InstanceServices) {
    const { db, config } = services;
    const change = readChange(body, config);
    const context = auditContextOf(services, request);
    await actAsAdmin(db, caller, async (tx) => {
      const { signIn } = change;
      const contacts = contactsOf(await requireMe(tx, caller.id));
      if (signIn && !contacts.some((contact) => canSignInWith({ signIn, oidc: config.oidc }, contact)))
        throw refuseSetting('signIn', 'would leave you no way to sign in');
      await storeChange(tx, config, change, { context, userId: caller.id });
    });
    return { status: 200, body: await readSettings(services) };
  },
});
