import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Problem } from '../../lib/errors.ts';
import { ExportReference } from './export-schema.ts';
import { type AccountServices, exportTimeoutMs } from './services.ts';

export const exportMe = defineEndpoint({
  method: 'GET',
  path: '/v1/me/export',
  summary: 'Export everything that the server stores about you',
  description:
    'One JSON document, a snapshot at the time of the request, with a section for each kind of record. It does not ' +
    'contain what is private to other people, such as who blocked you.',
  access: 'required',
  turns: 'transfer',
  allowsSuspended: true,
  response: { 200: ExportReference },
  timeoutMs: exportTimeoutMs,

  async handler({ caller }, { readExport }: AccountServices) {
    const json = await readExport(caller.id);
    if (!json) throw new Problem('token_invalid');
    return {
      statusCode: 200,
      json,
      headers: {
        'content-disposition': 'attachment; filename="potluck-export.json"',
        'cache-control': 'no-store',
      },
    };
  },
});
