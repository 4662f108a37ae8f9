import { Type } from 'typebox';
import { createLoader } from '../../db/batching.ts';
import type { App } from '../../http/app.ts';
import { requireCaller } from '../../http/authenticate.ts';
import { route, sendJson } from '../../http/route.ts';
import { ref, shared, timestamp } from '../../http/schemas.ts';
import { Problem } from '../../lib/errors.ts';
import type { Deps } from '../../server/build-app.ts';
import { hashPhone } from '../auth/codes.ts';
import { exportAccount } from './export-account.ts';
import { sections } from './export-sections.ts';

export const Export = shared(
  'Export',
  Type.Object({
    exportedAt: timestamp(),
    ...Object.fromEntries(
      sections.map(({ name, about, row }) => [name, Type.Array(ref(row), { description: about })]),
    ),
  }),
);
/** What `Export` refers to. */
export const exportRows = [...new Set(sections.map(({ row }) => row))];

export function exportRoutes(app: App, { db, config, clock }: Deps): void {
  const { secretKey, publicUrl } = config;
  // Two at once, since each may be large; and one for whoever asks again while they wait.
  const read = createLoader(
    async ([id]: string[]) => [
      id === undefined
        ? null
        : await exportAccount(db, { id, secretKey, publicUrl }, clock(), (phone) =>
            hashPhone(secretKey, phone),
          ),
    ],
    { keyOf: (id) => id, concurrency: 2, maxBatchSize: 1 },
  );

  app.get(
    '/v1/me/export',
    route({
      name: 'exportMe',
      access: 'required',
      tag: 'Me',
      summary: 'Everything that is held about you',
      description:
        'One JSON document as it is at this moment, a section for each kind of thing. What others keep to themselves, ' +
        'such as who blocked you, is not in it.',
      response: { 200: ref(Export) },
      timeoutMs: 60_000,
    }),
    async (request, reply) => {
      const json = await read(requireCaller(request).id);
      if (!json) throw new Problem('token_invalid');
      reply.header('content-disposition', 'attachment; filename="potluck-export.json"');
      return sendJson(reply.header('cache-control', 'no-store'), json);
    },
  );
}
