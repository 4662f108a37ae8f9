/**
 * Writes the page and the script of the API reference to `build/reference/`: Scalar, with corrections of its contrast
 * and of its support for keyboards and screen readers. The package of Scalar is large, and a server needs only the two
 * files.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import reference from '@scalar/fastify-api-reference';
import Fastify from 'fastify';

const out = path.join(import.meta.dirname, 'build', 'reference');

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
const page = await scalar.inject('/docs/');
const script = await scalar.inject('/docs/js/scalar.js');
await mkdir(out, { recursive: true });
// Scalar's page does not declare its language.
await writeFile(path.join(out, 'index.html'), page.body.replace('<html>', '<html lang="en">'));
await writeFile(path.join(out, 'scalar.js'), script.body);
