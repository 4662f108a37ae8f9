import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { newId } from '#base';
import { sql, type Transaction } from '#pg';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { runIdempotent } from '../../../idempotency/run-idempotent.ts';
import { parseCoordinates } from '../../../lib/coordinates.ts';
import { invalid, Problem } from '../../../lib/errors.ts';
import { CalendarError } from '../calendar-error.ts';
import { readLines } from '../calendar-lines.ts';
import { maxFileBytes } from '../file-bytes.ts';
import type { FileKind } from '../file-kind.ts';
import { followAddress, type NewFollowing } from '../sources/follow-address.ts';
import { startSources } from '../sources/follow-sources.ts';
import { hashOfAddress, reserveFetch } from '../sources/shared-fetches.ts';
import { readSourceAddress } from '../sources/source-address.ts';
import { requireBounds } from '../tables/read-table.ts';
import { toImport } from './present.ts';
import { countOpen, findRun, insertRun, type Media, type NewRun, type Run } from './repo.ts';
import { startImports } from './run-imports.ts';
import { Import, NewImport, NewImportQuery } from './schemas.ts';
import type { ImportServices } from './services.ts';
import { wantedOf } from './wanted-fetch.ts';

const mediaOf: Record<string, FileKind> = { 'text/calendar': 'calendar', 'text/csv': 'csv' };
/** The media types of files that can be imported. */
export const fileTypes = Object.keys(mediaOf);

const maxOpen = 20;

export const createImport = defineEndpoint({
  method: 'POST',
  path: '/v1/imports',
  summary: 'Import events of a calendar, a table or a web page',
  description:
    'The body is the file itself (iCalendar, RFC 5545; a table, CSV), or as JSON the public address of a calendar, a table or a web page with events in JSON-LD, from which a server fetches it, at most 5 MB and 5,000 entries. A server reads it after the response; ' +
    '`GET /v1/imports/:id` says how far it is. With `follow`, the address is a source (`GET /v1/sources`), which is fetched from now on; the same address again is the same source. Nothing is an event before `POST /v1/imports/:id/publish`. The same file again changes ' +
    `nothing; a changed one changes its events. A person has at most ${maxOpen} imports that are not done, and imports are kept for 7 days.`,
  caller: 'fresh',
  retry: 'idempotent',
  createdHeaders: ['Location'],
  query: NewImportQuery,
  body: NewImport,
  limits: { turns: 'transfer', timeoutMs: 90_000, bodyTypes: fileTypes, bodyLimit: maxFileBytes },
  response: { 202: Import },
  problems: ['imports_full', 'sources_full', 'source_busy'],

  async handler({ caller, query, body, request, idempotency }, services: ImportServices) {
    const { file, media, url } = readSource(request, body, services.config.importTestOrigin);
    const { place, visibility = 'public', category = 'other' } = query;
    const ofFile = file
      ? { ...idempotency, readKey: () => idempotency.readKey(hash('sha256', file)) }
      : idempotency;
    const now = services.clock();
    const key = { userId: caller.id, id: newId(), createdAt: now };
    const wanted = url && (await wantedOf(services, key, url));
    if (wanted) await reserveFetch(services, url, wanted);
    const options = { visibility, category, place: place === undefined ? null : parseCoordinates(place) };
    const response = await runIdempotent(services, caller, ofFile, async (tx) => {
      const run =
        wanted && body?.follow
          ? await followAddress(tx, following(caller.id, body, { url, options, since: wanted.since }), now)
          : await insertImport(tx, { ...key, media, options, file, url, now });
      return { status: 202 as const, body: toImport(run), headers: { location: `/v1/imports/${run.id}` } };
    });
    (body?.follow ? startSources : startImports)(services);
    return response;
  },
});

const following = (
  userId: string,
  { autoPublish }: NewImport,
  address: Pick<NewFollowing, 'url' | 'options' | 'since'>,
): NewFollowing => ({ userId, autoPublish, ...address });

async function insertImport(
  tx: Transaction,
  { url, ...run }: Omit<NewRun, 'url' | 'addressHash' | 'dueAt'> & { url: URL | null },
): Promise<Run> {
  await requireRoom(tx, run.userId);
  const address = { url: url?.href ?? null, addressHash: url && hashOfAddress(url) };
  await insertRun(tx, { ...run, ...address, dueAt: run.now });
  const inserted = await findRun(tx, run);
  if (!inserted) throw new Error('the import was not inserted');
  return inserted;
}

type Source = { file: Buffer | null; media: Media; url: URL | null };

/** @throws Problem as `readFile` and `readSourceAddress` */
function readSource(
  request: FastifyRequest,
  body: NewImport | undefined,
  testOrigin: string | undefined,
): Source {
  if (!body) return { ...readFile(request), url: null };
  if (body.autoPublish !== undefined && !body.follow) throw invalid('autoPublish', 'needs follow');
  return { file: null, media: 'url', url: readSourceAddress(body.url, testOrigin) };
}

/** @throws Problem `invalid_request` without a body; `unsupported_media_type`; `payload_too_large` above a bound */
function readFile({ sentFile, headers }: FastifyRequest): { file: Buffer; media: FileKind } {
  const media = mediaOf[headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? ''];
  if (!sentFile && isJson(headers['content-type'])) throw invalid('body', 'must be an object, or a file');
  if (!sentFile || !media) throw notAFile();
  try {
    if (media === 'csv') requireBounds(sentFile);
    // Checks the bounds alone.
    else readLines(sentFile);
  } catch (error) {
    if (error instanceof CalendarError)
      throw new Problem('payload_too_large', { detail: `The file ${error.message}.` });
    throw error;
  }
  return { file: sentFile, media };
}

/** Requests without a body have no type. */
const isJson = (type = 'application/json'): boolean => type.startsWith('application/json');

const notAFile = () =>
  new Problem('unsupported_media_type', {
    detail: `Send JSON with an address, or the file itself with one of these Content-Types: ${fileTypes.join(', ')}.`,
  });

/**
 * Requires room for another import. The lock on the account lets concurrent requests of the person count one after another.
 * @throws Problem `imports_full`
 */
export async function requireRoom(tx: Transaction, userId: string): Promise<void> {
  await tx.query(sql`select 1 from users where id = ${userId} for no key update`);
  if ((await countOpen(tx, userId)) >= maxOpen) throw new Problem('imports_full');
}
