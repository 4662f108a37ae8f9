import { runConcurrently } from '../client.ts';
import { countValues } from '../counts.ts';
import { createEvent, createItem, insertGoingRsvps } from '../factories.ts';
import type { Program } from '../program.ts';

export const oversell: Program = {
  name: 'oversell',
  expectation:
    '10,000 users claim an item of which 5,000 are needed, ten times: exactly 5,000 are claimed each time',
  quick: true,
  async run({ size, startEnvironment, progress }) {
    const [userCount, needed, rounds] = [size(10_000, 400), size(5_000, 200), size(10, 2)];
    const environment = await startEnvironment();
    const [organizer, ...claimers] = await environment.people(userCount + 1);
    if (!organizer) throw new Error('no people were created');
    const event = await createEvent(environment, organizer);
    await insertGoingRsvps(environment, event, claimers);
    const claimed: number[] = [];
    let wrongRounds = 0;
    for (let round = 1; round <= rounds; round++) {
      progress(`${round} of ${rounds}`);
      const item = await createItem(environment, organizer, event, needed);
      const responses = await runConcurrently(userCount, 256, async (i) =>
        environment.client.send('POST', `/v1/items/${item}/claim`, {
          token: claimers[i]?.token ?? '',
          body: { quantity: 1 },
        }),
      );
      const statusCounts = countValues(responses.map(({ status }) => status));
      const [row] = await environment.sql<[{ stock: number; claims: number }]>`
        select claimed as stock, (select count(*)::int from claims c where c.event_id = s.event_id and c.n = s.n) as claims
        from item_stock s where s.event_id = ${event} and s.n = ${Number(item.split('.')[1])}`;
      claimed.push(row.claims);
      const areStatusesRight = statusCounts[201] === needed && statusCounts[422] === userCount - needed;
      if (!areStatusesRight || row.claims !== needed || row.stock !== needed) wrongRounds++;
    }
    return {
      result: `claimed: ${[...new Set(claimed)].join(', ')} of ${needed}, ${rounds} times`,
      ok: wrongRounds === 0,
    };
  },
};
