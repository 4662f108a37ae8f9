/** A reporter of `node --test` that names failed tests: a line for each, with its file, a tab and its name. */
import path from 'node:path';
import type { TestEvent } from 'node:test/reporters';

const root = path.join(import.meta.dirname, '..', '..');

export default async function* reportFailures(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== 'test:fail') continue;
    const { error } = data.details;
    // A suite of which a test failed.
    if ('failureType' in error && error.failureType === 'subtestsFailed') continue;
    // A process that ended by itself has its file as its name.
    const file = data.file ?? data.name;
    yield `${path.relative(root, file)}\t${data.name.replaceAll('\n', ' ')}\n`;
  }
}
