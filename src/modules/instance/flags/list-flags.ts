import { defaultsOf, listFlags as findFlags, flagNames } from '../../../flags/flags.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { listOf } from '../../../http/schemas.ts';
import type { BaseServices } from '../../../http/services.ts';
import { toFlag } from './present.ts';
import { Flag } from './schemas.ts';

export const listFlags = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/flags',
  summary: 'List feature flags',
  description: 'For admins.',
  caller: 'admin',
  response: { 200: listOf(Flag) },

  async handler(_request, { db, config }: BaseServices) {
    const defaults = defaultsOf(config);
    const rows = new Map((await findFlags(db)).map((row) => [row.name, row]));
    const data = flagNames.map((name) => {
      const { enabled, changedAt } = rows.get(name) ?? { enabled: defaults[name], changedAt: null };
      return toFlag(name, enabled, changedAt);
    });
    return { status: 200, body: { data } };
  },
});
