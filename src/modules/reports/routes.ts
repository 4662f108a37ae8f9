import { recordAudit } from '../../audit/audit.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { App } from '../../http/app.ts';
import { requireCaller } from '../../http/authenticate.ts';
import { cursorPage, readCursor, toPage } from '../../http/cursors.ts';
import { route } from '../../http/route.ts';
import { ref } from '../../http/schemas.ts';
import { readIdempotencyKey, runIdempotent, sendReplayable } from '../../idempotency/idempotency.ts';
import { actAs } from '../../identity/act-as.ts';
import { actAsAdmin, signedInAdmin } from '../../identity/require-admin.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import type { Deps } from '../../server/build-app.ts';
import { toAdminReport, toReport } from './present.ts';
import { insertReport, listReports, resolveReport } from './repo.ts';
import { AdminReport, NewReport, Report, ReportParams, ReportQuery, Resolution } from './schemas.ts';

/** What people tell admins of. */
export function reportRoutes(app: App, { db, config, clock }: Deps): void {
  app.post(
    '/v1/reports',
    route({
      name: 'report',
      access: 'required',
      tag: 'Reports',
      summary: 'Report an event, an item, a message or a person',
      description:
        'To the admins of this server; nobody else learns of it. Anything that the caller may see, a message only if it ' +
        'was sent to them; once each, and up to 50 in 24 hours.',
      body: NewReport,
      response: { 201: ref(Report) },
      idempotent: true,
      problems: ['subject_not_found', 'self_relation', 'already_reported'],
    }),
    async (request, reply) => {
      const viewer = requireCaller(request);
      const add = async (tx: Transaction) => toReport(await insertReport(tx, viewer, request.body, clock()));
      const once = readIdempotencyKey(request, viewer, config.secretKey);
      if (!once) return reply.code(201).send(await actAs(db, viewer, add));
      const made = await runIdempotent(db, clock(), once, viewer, async (tx) => ({
        status: 201,
        body: JSON.stringify(await add(tx)),
      }));
      return sendReplayable(reply, made);
    },
  );

  app.get(
    '/v1/admin/reports',
    route({
      name: 'listReports',
      access: 'required',
      tag: 'Reports',
      summary: 'What was reported',
      description: 'For admins. The newest first.',
      querystring: ReportQuery,
      response: { 200: cursorPage(ref(AdminReport)) },
      problems: ['not_admin'],
    }),
    async (request) => {
      signedInAdmin(request);
      const { status, cursor, limit } = request.query;
      const place = readCursor(cursor, 'time', 'id');
      const after = place && { createdAt: place[0], id: place[1] };
      const rows = await listReports(db, status, after, limit + 1);
      const page = toPage(rows, limit, ({ createdAt, id }) => [createdAt, id]);
      return { data: page.rows.map(toAdminReport), nextCursor: page.nextCursor };
    },
  );

  app.patch(
    '/v1/admin/reports/:id',
    route({
      name: 'resolveReport',
      access: 'required',
      tag: 'Reports',
      summary: 'Resolve a report',
      description: 'For admins. Who made it is not told.',
      params: ReportParams,
      body: Resolution,
      response: { 200: ref(AdminReport) },
      problems: ['not_admin', 'report_not_found'],
    }),
    async (request) => {
      const admin = signedInAdmin(request);
      const id = readId(request.params.id, 'report_not_found');
      const now = clock();
      const resolved = await actAsAdmin(db, admin, async (tx) => {
        const found = await resolveReport(tx, id, request.body.note, now);
        const trace = { secretKey: config.secretKey, now, address: request.ip };
        if (found?.wasOpen) await recordAudit(tx, trace, { userId: admin.id }, 'report_resolved', id);
        return found?.row;
      });
      if (!resolved) throw new Problem('report_not_found');
      return toAdminReport(resolved);
    },
  );
}
