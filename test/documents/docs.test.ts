import assert from 'node:assert/strict';
import test from 'node:test';
import { generatedParts, readDocument, replacePart } from '../../docs/generate.ts';
import manifest from '../../package.json' with { type: 'json' };

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

test('docs: operating.md has the command of the script `start`', async () => {
  const text = await readDocument('operating.md');
  const command = manifest.scripts.start;
  assert.ok(text.includes(`\n${command}\n`), command);
});
