import { defineEndpoint } from '../../../http/define-endpoint.ts';
import type { BaseServices } from '../../../http/services.ts';
import { runIdempotent } from '../../../idempotency/run-idempotent.ts';
import { toReport } from './present.ts';
import { insertReport } from './repo.ts';
import { NewReport, Report } from './schemas.ts';

export const createReport = defineEndpoint({
  method: 'POST',
  path: '/v1/reports',
  summary: 'Report an event, an item, a message or a person',
  description:
    'Only the admins of this server see the report. The caller may report anything that they may see, and a message ' +
    'if they received it. Each person may report a subject once, and up to 50 subjects in 24 hours.',
  caller: 'fresh',
  retry: 'idempotent',
  body: NewReport,
  response: { 201: Report },
  problems: ['subject_not_found', 'self_relation', 'already_reported'],

  handler: ({ caller, body, idempotency }, services: BaseServices) =>
    runIdempotent(services, caller, idempotency, async (tx, caller) => {
      const row = await insertReport(tx, caller, body, services.clock());
      return { status: 201 as const, body: toReport(row) };
    }),
});
