/**
 * The layout of the HTML pages. Each page is one file without scripts and without resources of other servers.
 */
import type { FastifyReply } from 'fastify';

const style = `
:root { color-scheme: light dark; --ink: #23201c; --soft: #6f675e; --paper: #fdfaf5; --card: #fff; --line: #e9e1d5; --accent: #b4491f }
@media (prefers-color-scheme: dark) { :root { --ink: #f0ebe3; --soft: #a89f94; --paper: #191714; --card: #23201c; --line: #3a352e; --accent: #f08a5d } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 68rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem }
h1 { font-size: clamp(2rem, 5vw, 3rem); line-height: 1.1; letter-spacing: -.02em; margin: 0 0 .5rem }
a { color: var(--accent) }
.lead { color: var(--soft); font-size: 1.125rem; max-width: 42rem; margin: 0 0 1.25rem }
.links a { display: inline-block; margin: 0 .5rem .5rem 0; padding: .5rem .9rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--card); text-decoration: none }
dt { margin-top: 1.4rem; font-weight: 600 } dt:target { color: var(--accent) } dd { margin: .1rem 0 0; color: var(--soft) }
code { font-family: ui-monospace, monospace; font-size: .95em } .status { display: inline-block; min-width: 3rem; color: var(--soft) }
`;

export const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><text y=".9em" font-size="90">🥘</text></svg>';

/** A page with the common style. `title` and `body` are HTML. */
export const htmlDocument = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>` +
  '<meta name="viewport" content="width=device-width, initial-scale=1">' +
  `<style>${style}</style></head><body><main>${body}</main></body></html>`;

/** Pages have inline styles, show images of this server, and run no scripts. */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const withPagePolicy = (reply: FastifyReply): FastifyReply =>
  reply.header('content-security-policy', contentSecurityPolicy);
export const pageType = 'text/html; charset=utf-8';
