import assert from 'node:assert/strict';
import test from 'node:test';
import { generatedParts, readDocument, replacePart } from '../../docs/generate.ts';

for (const part of generatedParts) {
  test(`docs: ${part.file} contains the ${part.name} of ${part.source}`, async () => {
    const document = await readDocument(part.file);
    assert.equal(
      document,
      replacePart(document, part),
      `docs/${part.file} is outdated: run \`npm run docs\``,
    );
  });
}
