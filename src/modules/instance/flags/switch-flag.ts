import { auditContextOf, recordAudit } from '../../../audit/audit.ts';
import { defaultsOf, type FlagName, flagNames, recordFlagChange, setFlag } from '../../../flags/flags.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import type { BaseServices } from '../../../http/services.ts';
import { actAsAdmin } from '../../../identity/act-as-admin.ts';
import { Problem } from '../../../lib/errors.ts';
import { toFlag } from './present.ts';
import { Flag, FlagChange, FlagParams } from './schemas.ts';

export const switchFlag = defineEndpoint({
  method: 'PUT',
  path: '/v1/admin/flags/:name',
  summary: 'Switch a feature on or off',
  description:
    'For admins. On every server, the change applies to all requests that begin after the response.',
  caller: 'admin',
  params: FlagParams,
  body: FlagChange,
  response: { 200: Flag },
  problems: ['flag_not_found'],

  async handler({ caller, params, body, request }, services: BaseServices) {
    const { db, config } = services;
    const name = readFlagName(params.name);
    const { enabled } = body;
    const context = auditContextOf(services, request);
    const { changedAt } = await actAsAdmin(db, caller, async (tx) => {
      const { row, isChanged } = await setFlag(tx, name, enabled, defaultsOf(config)[name], context.now);
      const detail = `${name} ${enabled ? 'on' : 'off'}`;
      if (isChanged) await recordAudit(tx, context, { userId: caller.id }, 'flag_changed', detail);
      if (isChanged) await recordFlagChange(tx);
      return row;
    });
    return { status: 200, body: toFlag(name, enabled, changedAt) };
  },
});

/** @throws Problem `flag_not_found` */
function readFlagName(text: string): FlagName {
  const name = flagNames.find((each) => each === text);
  if (!name) throw new Problem('flag_not_found');
  return name;
}
