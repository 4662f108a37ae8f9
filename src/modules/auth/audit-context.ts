import type { AuditContext } from '../../audit/audit.ts';
import type { BaseServices } from '../../http/services.ts';

/** The context of an audit entry that a request causes. */
export const auditContextOf = (
  { config, clock }: Pick<BaseServices, 'config' | 'clock'>,
  { ip }: { ip: string },
): AuditContext => ({ secretKey: config.secretKey, now: clock(), address: ip });
