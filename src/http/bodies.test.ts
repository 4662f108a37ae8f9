/** Bodies that are sent in pieces: they arrive unchanged, also with any characters at the ends of pieces. */
import assert from 'node:assert/strict';
import test from 'node:test';
import Fastify from 'fastify';
import { pieceLength, registerBodies } from './bodies.ts';

const app = Fastify();
await registerBodies(app);
const emoji = '🍽'.repeat(pieceLength);
const bodies: Record<string, string | Buffer> = {
  'a character of two code units at each end of a piece': `x${emoji}`,
  'one character more than a piece': 'é'.repeat(pieceLength + 1),
  'exactly two pieces': 'x'.repeat(2 * pieceLength),
  'bytes of several pieces': Buffer.from(`xy${emoji}`),
};
const paths = Object.keys(bodies);
for (const [n, path] of paths.entries()) app.get(`/${n}`, async () => bodies[path]);
const url = await app.listen({ port: 0, host: '127.0.0.1' });
test.after(() => app.close());

for (const [n, name] of paths.entries()) {
  test(`pieces: ${name}: GET has the same body, and GET and HEAD its length`, async () => {
    const expected = Buffer.from(bodies[name] ?? '');
    const response = await fetch(`${url}/${n}`);
    assert.ok(Buffer.from(await response.arrayBuffer()).equals(expected));
    const head = await fetch(`${url}/${n}`, { method: 'HEAD' });
    for (const { headers } of [response, head])
      assert.equal(headers.get('content-length'), `${expected.length}`);
  });
}
