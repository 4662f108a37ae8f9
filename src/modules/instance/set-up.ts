import type { FastifyRequest } from 'fastify';
import { type Transaction, transaction } from '#pg';
import { type AuditContext, auditContextOf, recordAudit } from '../../audit/audit.ts';
import { sessionCookie, wayCookie } from '../../http/browser-cookie.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { Settings } from '../../instance/settings.ts';
import { closeSetup, findSetup } from '../../instance/setup-token.ts';
import { type MessageContact, readAddress, readNumber } from '../../lib/contact.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { readCountry } from '../../lib/phone.ts';
import { findOrCreateAccount } from '../accounts/accounts.ts';
import { hasAdmin } from '../accounts/admins.ts';
import { lockContacts } from '../accounts/codes/contact-locks.ts';
import { deviceTokenMs } from '../accounts/codes/device-tokens.ts';
import { hashContact } from '../accounts/codes/hashes.ts';
import { updateProfile } from '../accounts/profile/repo.ts';
import { lockRoles } from '../accounts/roles/repo.ts';
import { setRole } from '../accounts/sessions/repo.ts';
import { openBrowserSession } from '../accounts/sessions/sessions.ts';
import { enterAccount } from '../accounts/sign-in/open-account.ts';
import { BrowserSignedIn } from '../accounts/sign-in/schemas.ts';
import { requireSetup } from './get-setup.ts';
import { Setup } from './schemas.ts';
import type { InstanceServices } from './services.ts';
import { readChange, refuseSetting, storeChange } from './settings.ts';

export const setUp = defineEndpoint({
  method: 'POST',
  path: '/v1/setup',
  summary: 'Set the server up, and sign the first admin in',
  description:
    'For the page that the server prints at its start. Creates the account of `phone` or `email`, or finds it, makes it an ' +
    'admin, and stores the settings. No code is sent: the token is the proof. The response sets the cookies of POST ' +
    '/v1/auth/browser-session. Of several requests at the same time, one succeeds; after it, the token is worth nothing.',
  caller: 'none',
  uncached: true,
  session: { sameOriginOnly: true },
  body: Setup,
  response: { 200: BrowserSignedIn },
  problems: ['setup_closed', 'setting_refused', 'too_many_tries', 'feature_disabled'],

  async handler({ body, request }, services: InstanceServices) {
    const { config } = services;
    await requireSetup(services, request, body.token);
    const contact = readContact(body, config.defaultCountry);
    const { token, displayName, phone: _phone, country: _country, email: _email, ...changes } = body;
    const change = readChange(changes, config);
    if (change.signIn && !change.signIn.includes(contact.kind))
      throw refuseSetting('signIn', 'does not have the way with which you sign in');
    const { session, account } = await transaction(services.db, (tx) =>
      makeFirstAdmin(tx, services, request, { token, contact, displayName, change }),
    );
    const cookies = [
      sessionCookie(config, session.token, session.maxAgeMs),
      wayCookie(config, contact.kind, deviceTokenMs),
    ];
    return { status: 200, body: account, headers: { 'set-cookie': cookies } };
  },
});

type Given = { phone?: string; country?: string; email?: string };

/** @throws Problem `invalid_request` unless exactly one contact is given */
function readContact(
  { phone, country, email }: Given,
  defaultCountry: Parameters<typeof readNumber>[1],
): MessageContact {
  if (phone !== undefined && email !== undefined) throw invalid('email', 'cannot be combined with `phone`');
  if (phone !== undefined) return readNumber(phone, readCountry(country) ?? defaultCountry);
  if (email !== undefined) return readAddress(email);
  throw invalid('email', 'is required, or `phone`', 'required');
}

type FirstAdmin = {
  token: string;
  contact: MessageContact;
  displayName: string;
  change: Partial<Settings>;
};

/** The token is checked again under the lock: of two requests on two servers, the second finds an admin. */
async function makeFirstAdmin(
  tx: Transaction,
  services: InstanceServices,
  request: FastifyRequest,
  { token, contact, displayName, change }: FirstAdmin,
) {
  const { config } = services;
  const context: AuditContext = auditContextOf(services, request);
  await lockRoles(tx);
  const isValid = await findSetup(tx, config.secretKey);
  if (!isValid?.(token) || (await hasAdmin(tx))) throw new Problem('setup_closed');
  await lockContacts(tx, [hashContact(config.secretKey, contact)]);
  const found = await findOrCreateAccount(tx, contact, context.now);
  const userId = found.id;
  if (found.isSuspended) throw invalid(contact.kind, 'belongs to a suspended account');
  await setRole(tx, userId, 'admin');
  await updateProfile(tx, userId, { name: displayName });
  const entered = await enterAccount(tx, services, context, request, found, (_, opened, { now }) =>
    openBrowserSession(tx, opened, now),
  );
  await recordAudit(tx, context, { userId }, 'role_changed', 'to admin, by the address of the setup');
  await closeSetup(tx);
  await storeChange(tx, config, change, { context, userId });
  return entered;
}
