/** The export of a person with many long messages. */
import { request } from 'node:http';
import { newIdAt } from '#base';
import type { Server } from '../test/support/processes.ts';
import type { Environment, Person } from './environment.ts';
import { readPeakMb } from './peak-memory.ts';

/** In a message of 2,000 ideographs, in bytes. */
const bytesOfMessage = 6_000;
const batchSize = 500;

/** Receives the export of a person who has sent messages of so many bytes, from a new server. */
export async function measureExport(environment: Environment, bytes: number) {
  const [me, other] = await environment.people(2);
  if (!me || !other) throw new Error('no people were created');
  await insertLongMessages(environment, me, other, bytes);
  const server = await environment.start();
  const received = await receiveExport(server, me);
  return { bytes: received, isComplete: received >= bytes, peakMb: await readPeakMb(server) };
}

/** Sends a message, and inserts more of the same person by SQL, of so many bytes together. */
async function insertLongMessages(
  { client, sql }: Environment,
  me: Person,
  other: Person,
  bytes: number,
): Promise<void> {
  const { status } = await client.send('POST', `/v1/users/${other.id}/messages`, {
    token: me.token,
    body: { text: 'Hello' },
  });
  if (status !== 201) throw new Error(`the message was not sent: ${status}`);
  const since = Date.now() - 3_600_000;
  for (let left = Math.ceil(bytes / bytesOfMessage), n = 0; left > 0; left -= batchSize) {
    const ids = Array.from({ length: Math.min(left, batchSize) }, () => newIdAt(new Date(since + n++)));
    await sql`
      insert into messages (user_id, other_id, id, is_own, text, created_at)
      select ${me.id}, ${other.id}, id, true, repeat('漢字', 1000), now() from unnest(${ids}::uuid[]) r (id)`;
  }
}

/** Receives the export of a person. @returns its bytes; 0 if it was refused or is not complete */
function receiveExport({ url }: Server, { token }: Person): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(`${url}/v1/me/export`, { headers: { authorization: `Bearer ${token}` } });
    sent.once('error', () => resolve(0));
    sent.once('response', (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.once('error', () => resolve(0));
      response.once('close', () => resolve(response.complete && response.statusCode === 200 ? bytes : 0));
    });
    sent.end();
  });
}
