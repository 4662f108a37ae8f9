import assert from 'node:assert/strict';
import test from 'node:test';
import type { Problem } from '../../lib/errors.ts';
import { maxUploadsPerNetwork, maxUploadsPerPerson, OpenUploads } from './open-uploads.ts';

/** Opens uploads whose bodies are being received, and records which of them were ended. */
function createUploads(options?: { maxBytes: number }) {
  const uploads = new OpenUploads(options);
  const ended: string[] = [];
  const open = (name: string, network = 'here', bytes = 0) => {
    const upload = uploads.open(name, network);
    upload.end = ({ code }: Problem) => void ended.push(`${name} ${code}`);
    uploads.grow(upload, bytes);
    return upload;
  };
  return { uploads, ended, open };
}
const tooMany = { code: 'too_many_requests' };

test('uploads: a person has a limit over all networks, and a place again after an upload was closed', () => {
  const { uploads, open } = createUploads();
  const own = Array.from({ length: maxUploadsPerPerson }, (_, i) => open('a', `network ${i}`));
  assert.throws(() => open('a', 'another network'), tooMany);
  open('b');
  const [first] = own;
  assert.ok(first);
  for (let i = 0; i < 2; i++) uploads.close(first);
  open('a');
  assert.throws(() => open('a'), tooMany);
});

test('uploads: where a network has no place left, the person with the most uploads gives way', () => {
  const { ended, open } = createUploads();
  for (let i = 0; i < maxUploadsPerNetwork; i++) open(`slow ${i % 4}`);
  open('other network', 'there');
  open('guest');
  assert.deepEqual(ended, ['slow 0 too_many_requests']);
  // The person who gave way gets no place from those who have as many.
  assert.throws(() => open('slow 0'), tooMany);
  for (let i = 0; i < 3; i++) open('guest');
  assert.equal(ended.length, 4);
  // Now the others have five each.
  assert.throws(() => open('guest'), tooMany);
  assert.ok(!ended.includes('guest too_many_requests'));
});

test('uploads: of people with one upload each in a full network, none gives way', () => {
  const { ended, open } = createUploads();
  for (let i = 0; i < maxUploadsPerNetwork; i++) open(`guest ${i}`);
  assert.throws(() => open('late'), tooMany);
  assert.deepEqual(ended, []);
});

test('uploads: complete bodies are not ended', () => {
  const { ended, open } = createUploads();
  for (let i = 0; i < maxUploadsPerNetwork; i++) open(`person ${i % 4}`).end = null;
  assert.throws(() => open('late'), tooMany);
  assert.deepEqual(ended, []);
});

test('uploads: when the memory is used up, the person with the most bytes gives way, first with the largest body', () => {
  const { uploads, ended, open } = createUploads({ maxBytes: 100 });
  open('hoarder', 'there', 20);
  open('hoarder', 'there', 40);
  const small = open('guest', 'here', 30);
  assert.deepEqual(ended, []);
  uploads.grow(small, 15);
  assert.deepEqual(ended, ['hoarder unavailable']);
  uploads.grow(small, 40);
  assert.deepEqual(ended, ['hoarder unavailable', 'guest unavailable']);
  open('hoarder', 'there', 80);
  assert.equal(ended.length, 2);
});
