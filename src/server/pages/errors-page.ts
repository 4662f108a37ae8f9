/** The page at /docs/errors, which explains every problem code. */

import { escapeHtml } from '../../lib/escape-html.ts';
import type { catalogue } from '../../lib/problem-catalogue.ts';
import { htmlDocument } from './layout.ts';

export function errorsPage(entries: typeof catalogue): string {
  const rows = Object.entries(entries).map(
    ([code, { status, title, detail }]) =>
      `<dt id="${code}"><span class="status">${status}</span> <code>${code}</code></dt>` +
      `<dd>${escapeHtml(title)}. ${escapeHtml(detail).replace(/`([^`]+)`/g, '<code>$1</code>')}</dd>`,
  );
  return htmlDocument(
    'Potluck: errors',
    '<h1>Errors</h1><p class="lead">Every error response is <code>application/problem+json</code> with one of these ' +
      'codes in <code>code</code>. The meaning of a code never changes. If a field is invalid, <code>errors</code> ' +
      'has its <code>path</code>. ' +
      `<a href="/">Home</a> · <a href="/docs/">API reference</a></p><dl>${rows.join('')}</dl>`,
  );
}
