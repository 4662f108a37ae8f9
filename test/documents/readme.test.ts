import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const readme = await readFile(path.join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');
const missing = ['bash', 'curl', 'jq'].filter((tool) => spawnSync(tool, ['--version']).error);

/** Returns the shell blocks of a chapter as one script. */
function shellBlocks(chapter: string): string {
  const text = readme.split(`## ${chapter}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block).join('\n');
}

test('readme: the commands of the first chapter claim a quantity of 2 and get 422 for another 2', {
  skip: missing.length > 0 && `needs ${missing.join(' and ')}`,
}, async () => {
  const script = shellBlocks('Five minutes to the first claim').replace('http://127.0.0.1:3000', api.url);
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script]);
  const responses = stdout.split(/(?<=\})(?=\{)/).map((text) => JSON.parse(text));
  const [rsvp, claim, list, , refusal] = responses;
  assert.equal(rsvp.myRsvp, 'going');
  assert.equal(claim.quantity, 2);
  assert.deepEqual([list.data[0].quantityClaimed, list.data[0].myClaim.quantity], [2, 2]);
  assert.deepEqual(
    [refusal.status, refusal.code, refusal.detail],
    [422, 'quantity_unavailable', 'Only 1 is left.'],
  );
  // The README states the time zone of the event.
  const { body: found } = expectStatus(await api.get('/v1/events?q=harbour+potluck&dateTo=2031-01-01'), 200);
  const event = found.data.find((one: { title: string }) => one.title === 'Harbour potluck');
  assert.equal(event.timezone, /`timezone` is `([^`]+)`/.exec(readme)?.[1]);
});

test('docs: the commands of the guide create an event, find it, claim two of its items, and tell a copy of its deletion', {
  skip: missing.length > 0 && `needs ${missing.join(' and ')}`,
}, async () => {
  const { body: document } = await api.get('/openapi.json');
  const blocks = [...document.info.description.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block);
  const script = blocks
    .join('\n')
    .replace(/^API=.*/m, `API=${api.url}/v1`)
    // In place of the message.
    .replace(/^(curl .*request.*)$/m, 'DEV_CODE=$($1 | jq -r .devCode)')
    .replace(/^CODE=.*/m, 'CODE=$DEV_CODE');
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script]);
  assert.deepEqual(stdout.trim().split('\n'), ['Garden potluck', 'going', '2', 'deleted']);
});

test('readme: every linked file exists', async () => {
  const links = [...readme.matchAll(/\]\((?!http)([^)#]+)\)/g)].map(([, target = '']) => target);
  for (const target of links)
    await import('node:fs/promises').then((fs) =>
      fs.access(path.join(import.meta.dirname, '..', '..', target)),
    );
  assert.ok(links.length > 5);
});
