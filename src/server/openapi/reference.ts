/** The API reference at /docs: Scalar, with corrections of its contrast and its keyboard and screen reader support. */
import { hash } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { invalid } from '../../lib/errors.ts';
import { lazily } from '../../lib/lazily.ts';

/** The page may only load resources from and send requests to this server. */
const contentSecurityPolicy = (scripts: string) =>
  `default-src 'self'; script-src ${scripts}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; ` +
  "font-src 'self' data:; base-uri 'none'; frame-ancestors 'none'";

/** Returns the sources of the page's scripts: files of this server, and the one script in the page, by its hash. */
function scriptsOf(page: string): string {
  const [, script = ''] = /<script type="text\/javascript">(.*?)<\/script>/s.exec(page) ?? [];
  return `'self' 'sha256-${hash('sha256', script, 'base64')}'`;
}

/**
 * Colours with a contrast of at least 4.5:1 on every background of the theme (WCAG 1.4.3). Scalar's rules are
 * in cascade layers, so these rules take precedence.
 */
const style = `
.light-mode {
  --scalar-color-2: #5c5c5c; --scalar-color-3: #666;
  --scalar-color-green: #05653f; --scalar-color-red: #b8000b; --scalar-color-yellow: #6f5200;
  --scalar-color-blue: #005f9e; --scalar-color-orange: #a13a00; --scalar-color-purple: #5203d1;
}
.dark-mode {
  --scalar-color-3: #9a9a9a; --scalar-color-red: #ff7570;
}
/* The label of a copy button is not rendered until the pointer is over it, so the button has no name. */
.scalar-code-copy .sr-only > .hidden { display: inline }
/* A scrollable list is not reachable with the keyboard. */
ul.endpoints.endpoints { max-height: none; overflow: visible; overflow-wrap: anywhere }
.scalar-card-content:has(> ul.endpoints) { max-height: none; overflow: visible }
`;

/**
 * Scalar's plugin, in an instance of its own. It is loaded with the first request for the reference: its module contains
 * a script of 4 MB, which would delay the start of every server.
 */
const openScalar = lazily(async () => {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  const scalar = Fastify();
  await scalar.register(reference, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Potluck API',
      customCss: style,
      // The page loads nothing from other servers: no fonts, and no proxy for test requests.
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      authentication: { preferredSecurityScheme: 'bearer' },
      agent: { disabled: true },
      mcp: { disabled: true },
      defaultOpenAllTags: true,
    },
  });
  return scalar;
});

export function registerReference(app: FastifyInstance): void {
  for (const path of ['/docs', '/docs/', '/docs/js/scalar.js']) {
    const config = path.endsWith('.js') ? { isStaticFile: true as const } : {};
    app.get(path, { schema: { hide: true }, config, onRequest: checkHost }, async (request, reply) => {
      const scalar = await openScalar();
      const { statusCode, headers, body } = await scalar.inject({
        url: request.url,
        headers: { host: request.host },
      });
      reply.code(statusCode);
      if (headers['content-type']) reply.type(headers['content-type']);
      if (headers.location) reply.header('location', headers.location);
      if (path !== '/docs/') return reply.send(body);
      reply.header('content-security-policy', contentSecurityPolicy(scriptsOf(body)));
      // Scalar's page does not declare its language.
      return reply.send(body.replace('<html>', '<html lang="en">'));
    });
  }
}

/** Rejects an invalid Host header, from which the page builds the address of the server. */
function checkHost(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
  reply.header('content-security-policy', contentSecurityPolicy("'self'"));
  done(URL.canParse(`http://${request.hostname}`) ? undefined : invalid('host', 'is not a host'));
}
