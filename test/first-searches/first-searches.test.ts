/** What a server prepares after its start, so that no visitor waits for it. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { expectStatus, startTestApp } from '../support/setup.ts';

const { DisplayNames } = Intl;
/** How often names of countries were asked for, each time in another language. */
let made = 0;
class CountedNames extends DisplayNames {
  constructor(...given: ConstructorParameters<typeof DisplayNames>) {
    super(...given);
    made += 1;
  }
}
Object.defineProperty(Intl, 'DisplayNames', { value: CountedNames });

// spec: 4.9 GET /v1/places: the town in an address
test('places: 200 for the first address, with the names of countries that the start has prepared', async () => {
  const api = await startTestApp();
  let before = -1;
  while (made === 0 || made !== before) {
    before = made;
    await sleep(100);
  }
  const { body } = expectStatus(await api.get('/v1/places?q=Storgatan%201,%20Lund,%20Sverige'), 200);
  assert.equal(body.data[0]?.name, 'Lund');
  assert.equal(made, before);
});
