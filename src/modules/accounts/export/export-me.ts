import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ContentResponse, defineEndpoint } from '../../../http/define-endpoint.ts';
import { Problem } from '../../../lib/errors.ts';
import type { AccountServices } from '../services.ts';
import { type ExportedPerson, exportTimeoutMs } from './open-export.ts';
import { ExportReference } from './schema.ts';

export const exportLimits = { turns: 'transfer', timeoutMs: exportTimeoutMs } as const;

export const exportMe = defineEndpoint({
  method: 'GET',
  path: '/v1/me/export',
  summary: 'Export everything that the server stores about you',
  description:
    'One JSON document, a snapshot at the time of the request, with a section for each kind of record. It does not ' +
    'contain what is private to other people, such as who blocked you.',
  caller: 'fresh',
  limits: exportLimits,
  session: { allowsSuspended: true },
  response: { 200: ExportReference },

  handler: ({ caller, request, reply }, services: AccountServices) =>
    exportResponse(services, { userId: caller.id, eventId: null }, request, reply),
});

/** @throws Problem `token_invalid` if the person does not exist */
export async function exportResponse(
  { openExport }: Pick<AccountServices, 'openExport'>,
  person: ExportedPerson,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ContentResponse> {
  const json = await openExport(person, request.ip);
  if (!json) throw new Problem('token_invalid');
  return {
    statusCode: 200,
    contentType: 'application/json; charset=utf-8',
    content: Buffer.isBuffer(json) ? json : streamOf(json, request, reply),
    headers: {
      'content-disposition': 'attachment; filename="potluck-export.json"',
      'cache-control': 'no-store',
    },
  };
}

/** Destroys the stream when the connection is closed, also if the client has gone or the request has timed out before. */
function streamOf(json: Readable, { method }: FastifyRequest, { raw, sent }: FastifyReply): Readable {
  if (method === 'HEAD') {
    json.destroy();
    return Readable.from([]);
  }
  if (sent || raw.destroyed) json.destroy();
  else raw.once('close', () => json.destroy());
  return json;
}
