import { each } from '../client.ts';
import { count } from '../counts.ts';
import { createEvent, createItem, insertGoingRsvps } from '../factories.ts';
import type { Program } from '../program.ts';

export const oversell: Program = {
  name: 'oversell',
  promise:
    '10,000 users claim an item of which 5,000 are needed, ten times: exactly 5,000 are claimed each time',
  quick: true,
  async run({ size, open, progress }) {
    const [people, needed, times] = [size(10_000, 400), size(5_000, 200), size(10, 2)];
    const environment = await open();
    const [organizer, ...claimers] = await environment.people(people + 1);
    if (!organizer) throw new Error('no people were created');
    const event = await createEvent(environment, organizer);
    await insertGoingRsvps(environment, event, claimers);
    const claimed: number[] = [];
    let wrongRounds = 0;
    for (let round = 1; round <= times; round++) {
      progress(`${round} of ${times}`);
      const item = await createItem(environment, organizer, event, needed);
      const responses = await each(people, 256, async (i) =>
        environment.client.send('POST', `/v1/items/${item}/claim`, {
          token: claimers[i]?.token ?? '',
          body: { quantity: 1 },
        }),
      );
      const tally = count(responses.map(({ status }) => status));
      const [row] = await environment.sql<[{ stock: number; claims: number }]>`
        select claimed as stock, (select count(*)::int from claims c where c.event_id = s.event_id and c.n = s.n) as claims
        from item_stock s where s.event_id = ${event} and s.n = ${Number(item.split('.')[1])}`;
      claimed.push(row.claims);
      const areStatusesRight = tally[201] === needed && tally[422] === people - needed;
      if (!areStatusesRight || row.claims !== needed || row.stock !== needed) wrongRounds++;
    }
    return {
      figure: `claimed: ${[...new Set(claimed)].join(', ')} of ${needed}, ${times} times`,
      ok: wrongRounds === 0,
    };
  },
};
