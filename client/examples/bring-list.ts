/** Creates an event with a bring-list, and claims an item of it: node examples/bring-list.ts BASE_URL PHONE */
import * as potluck from '@potluck/client';

const [, , baseUrl = 'http://127.0.0.1:3000', phone = '+12025550102'] = process.argv;
const client = potluck.createClient({ baseUrl });

// The code is in a text message. Only a server that no other machine can reach also returns it.
const { data: sent } = await potluck.requestCode({ client, body: { phone } });
await potluck.signIn({ client, body: { phone, code: sent.devCode ?? '' } });

const location = { address: 'Lindholmen, Gothenburg', lat: 57.7069, lng: 11.9386 };
const [startAt, endAt] = ['2030-06-21T18:00:00+02:00', '2030-06-21T23:00:00+02:00'];
const draft = { title: 'Harbour potluck', startAt, endAt, location, category: 'food' } as const;
const path = { id: (await potluck.createEvent({ client, body: draft })).data.id };
const bread = { title: 'Bread', kind: 'bring', quantityNeeded: 3 } as const;
const { data: item } = await potluck.addItem({ client, path, body: bread });
await potluck.setRsvp({ client, path, body: { status: 'going' } });

const claim = () => potluck.claimItem({ client, path: { id: item.id }, body: { quantity: 2 } });
const { stream } = await potluck.listenToEvent({ client, path });
for await (const { event, data } of stream) {
  if (event === 'snapshot') await claim();
  if (event !== 'item') continue;
  console.log(`${data.title}: ${data.quantityClaimed} of ${data.quantityNeeded} claimed`);
  break;
}
const error = await claim().catch((error: unknown) => error);
if (potluck.isProblem(error, 'already_claimed')) console.log(error.title);
for await (const { item } of potluck.iterate(potluck.listMyClaims, { client }))
  console.log(`You bring ${item.title}.`);
