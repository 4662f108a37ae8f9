/** Faults of the first admin, and of the settings of the instance. */
import { type Fault, faultsOf } from '../fault.ts';

export const instanceFaults: Fault[] = [
  ...faultsOf('src/modules/instance/set-up.ts', [
    ['await lockRoles(tx);', '', 'setup-race', 'two first admins'],
    ['if (!isValid?.(token) || (await hasAdmin(tx)))', 'if (false)', 'setup-race', 'two first admins'],
    ['await closeSetup(tx);', '', 'setup', 'the address is valid again when the role is revoked'],
    ['session: { sameOriginOnly: true },', '', 'access-matrix', 'another site signs a browser in'],
    [
      'if (change.signIn && !change.signIn.includes(contact.kind))',
      'if (false)',
      'setup',
      'the first admin cannot sign in again',
    ],
  ]),
  ...faultsOf('src/modules/instance/get-setup.ts', [
    ['if (!isValid(token))', 'if (false)', 'setup', 'every token makes the first admin'],
    [' || (await hasAdmin(db))', '', 'setup', 'a server with an admin gets another one'],
  ]),
  ...faultsOf('src/modules/instance/settings.ts', [
    [
      'if (setting in change && setting in fixed)',
      'if (false)',
      'settings',
      'an admin overrides the operator',
    ],
    [
      'if (signIn?.some((kind) => !config.signIn.includes(kind)))',
      'if (false)',
      'settings',
      'a way to sign in without a service',
    ],
    ['await recordSettingsChange(tx);', '', 'settings', 'other servers keep the former settings'],
  ]),
  ...faultsOf('src/modules/instance/admin-settings.ts', [
    [
      'if (signIn && !contacts.some((contact) => canSignInWith({ signIn, oidc: config.oidc }, contact)))',
      'if (false)',
      'settings',
      'an admin locks everyone out',
    ],
  ]),
  ...faultsOf('packages/fresh-records/watched-value.ts', [
    ['await changeLog.catchUp();', '', 'settings', 'the former settings'],
  ]),
  ...faultsOf('src/instance/settings.ts', [
    ['on conflict (id) do update set id = true', 'on conflict (id) do nothing', 'settings', 'a lost change'],
    [
      'signIn: chosen.length > 0 ? chosen : config.signIn,',
      'signIn: stored.signIn ? chosen : config.signIn,',
      'settings',
      'no way to sign in',
    ],
  ]),
  ...faultsOf('src/server/web/anonymous-pages.ts', [
    ['`${settings} ${version}`', 'version', 'web-page-cache', 'cached pages keep the former contact'],
  ]),
  ...faultsOf('src/cli/admin.ts', [
    ["if (role === 'admin') await closeSetup(tx);", '', 'setup', 'an old address makes an admin again'],
  ]),
];
