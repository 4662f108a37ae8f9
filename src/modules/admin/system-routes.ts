import { Type } from 'typebox';
import { listAuditPage, recordAudit } from '../../audit/audit.ts';
import { defaultsOf, type FlagName, flagNames, listFlags, setFlag } from '../../flags/flags.ts';
import type { App } from '../../http/app.ts';
import { cursorPage, readCursor, toPage } from '../../http/cursors.ts';
import { route } from '../../http/route.ts';
import { ref } from '../../http/schemas.ts';
import { actAsAdmin, signedInAdmin } from '../../identity/require-admin.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { readFrom, readUntil } from '../../lib/time.ts';
import type { Deps } from '../../server/build-app.ts';
import { toAuditEntry, toFlags } from './present.ts';
import { AuditEntry, AuditQuery, Flag, FlagChange, FlagParams } from './schemas.ts';

/** Flags, and the audit trail. */
export function adminSystemRoutes(app: App, { db, config, clock, flags }: Deps): void {
  const defaults = defaultsOf(config);

  app.get(
    '/v1/admin/flags',
    route({
      name: 'listFlags',
      access: 'required',
      tag: 'Administration',
      summary: 'What is switched on',
      description: 'For admins.',
      response: { 200: Type.Object({ data: Type.Array(ref(Flag)) }) },
      problems: ['not_admin'],
    }),
    async (request) => {
      signedInAdmin(request);
      return { data: toFlags(await listFlags(db), defaults) };
    },
  );

  app.put(
    '/v1/admin/flags/:name',
    route({
      name: 'switchFlag',
      access: 'required',
      tag: 'Administration',
      summary: 'Switch something on or off',
      description: 'For admins. Holds on all servers within a second.',
      params: FlagParams,
      body: FlagChange,
      response: { 200: ref(Flag) },
      problems: ['not_admin', 'flag_not_found'],
    }),
    async (request) => {
      const admin = signedInAdmin(request);
      const name = readFlag(request.params.name);
      const { enabled } = request.body;
      const now = clock();
      const rows = await actAsAdmin(db, admin, async (tx) => {
        const trace = { secretKey: config.secretKey, now, address: request.ip };
        if (await setFlag(tx, name, enabled, defaults[name], now))
          await recordAudit(
            tx,
            trace,
            { userId: admin.id },
            'flag_changed',
            `${name} ${enabled ? 'on' : 'off'}`,
          );
        return listFlags(tx);
      });
      // The others find out by themselves; what fails here does too, a moment later.
      await flags.refresh().catch(() => {});
      const flag = toFlags(rows, defaults).find((each) => each.name === name);
      if (!flag) throw new Problem('flag_not_found');
      return flag;
    },
  );

  app.get(
    '/v1/admin/audit',
    route({
      name: 'listAudit',
      access: 'required',
      tag: 'Administration',
      summary: 'The audit trail',
      description:
        'For admins. The newest first: sign-ins, sessions that ended, what admins did, and accounts that went.',
      querystring: AuditQuery,
      response: { 200: cursorPage(ref(AuditEntry)) },
      problems: ['not_admin'],
    }),
    async (request) => {
      signedInAdmin(request);
      const { since, until, userId, cursor, limit } = request.query;
      const place = readCursor(cursor, 'time', 'id');
      const filter = { since: readFrom(since), until: readUntil(until), userId: readUserId(userId) };
      const after = place && { at: place[0], id: place[1] };
      const rows = await listAuditPage(db, config.secretKey, filter, after, limit + 1);
      const page = toPage(rows, limit, ({ at, id }) => [at, id]);
      return { data: page.rows.map(toAuditEntry), nextCursor: page.nextCursor };
    },
  );
}

/** @throws Problem `flag_not_found` */
function readFlag(text: string): FlagName {
  const name = flagNames.find((each) => each === text);
  if (!name) throw new Problem('flag_not_found');
  return name;
}

const nobody = '00000000-0000-0000-0000-000000000000';

/** Who is unknown has no entries, as nobody has. */
function readUserId(text: string | undefined): string | null {
  if (text === undefined) return null;
  try {
    return readId(text, 'user_not_found');
  } catch {
    return nobody;
  }
}
