import type { Queryable } from '#pg';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { Problem } from '../../../lib/errors.ts';
import { readId } from '../../../lib/ids.ts';
import { toImport } from './present.ts';
import { findRun, type Run } from './repo.ts';
import { Import, ImportParams } from './schemas.ts';
import type { ImportServices } from './services.ts';

export const getImport = defineEndpoint({
  method: 'GET',
  path: '/v1/imports/:id',
  summary: 'Get an import of the caller',
  description: 'How far it is, and how many entries are in which state.',
  caller: 'fresh',
  params: ImportParams,
  response: { 200: Import },
  problems: ['import_not_found'],

  async handler({ caller, params }, { db }: ImportServices) {
    return { status: 200, body: toImport(await requireRun(db, caller.id, params.id)) };
  },
});

/** @throws Problem `import_not_found`, also for imports of others */
export async function requireRun(db: Queryable, userId: string, id: string): Promise<Run> {
  const run = await findRun(db, { userId, id: readId(id, 'import_not_found') });
  if (!run) throw new Problem('import_not_found');
  return run;
}
