/** The API reference at /docs, which web/api-reference.ts builds. */
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { lazily } from '#base';
import { createDocument, sendUnversioned } from '../../http/documents.ts';
import { invalid } from '../../lib/errors.ts';
import { parseAddress } from '../../lib/user-texts/parse-address.ts';
import { buildDirectory, isBuilt } from '../web/built-files.ts';
import { sendUnavailablePage } from '../web/unavailable-page.ts';

/** The page may only load resources from and send requests to this server. */
const contentSecurityPolicy = (scripts: string) =>
  `default-src 'self'; script-src ${scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; ` +
  "font-src 'self' data:; base-uri 'none'; frame-ancestors 'none'";

/** Returns the sources of the page's scripts: files of this server, and the one script in the page, by its hash. */
function scriptsOf(page: string): string {
  const [, script = ''] = /<script type="text\/javascript">(.*?)<\/script>/s.exec(page) ?? [];
  return `'self' 'sha256-${hash('sha256', script, 'base64')}'`;
}

const readBuilt = async (name: string) =>
  createDocument(await readFile(path.join(buildDirectory, 'reference', name)));

export function registerReference(app: FastifyInstance): void {
  const schema = { hide: true };
  if (!isBuilt()) {
    for (const path of ['/docs', '/docs/'])
      app.get(path, { schema, onRequest: checkHost }, async (_request, reply) => sendUnavailablePage(reply));
    return;
  }
  // The script has 4 MB. Most servers never send it.
  const readPage = lazily(() => readBuilt('index.html'));
  const readScript = lazily(() => readBuilt('scalar.js'));
  app.get('/docs', { schema, onRequest: checkHost }, async (_request, reply) =>
    reply.redirect('/docs/', 301),
  );
  app.get('/docs/', { schema, onRequest: checkHost }, async (request, reply) => {
    const page = await readPage();
    reply.header('content-security-policy', contentSecurityPolicy(scriptsOf(`${page.body}`)));
    return sendUnversioned(request, reply, page, 'text/html; charset=utf-8');
  });
  const config = { isStaticFile: true as const };
  app.get('/docs/js/scalar.js', { schema, config, onRequest: checkHost }, async (request, reply) =>
    sendUnversioned(request, reply, await readScript(), 'application/javascript; charset=utf-8'),
  );
}

/** Rejects an invalid Host header. */
function checkHost(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
  reply.header('content-security-policy', contentSecurityPolicy("'self'"));
  done(parseAddress(`http://${request.hostname}`) ? undefined : invalid('host', 'is not a host'));
}
