/** The order of conversions, and images that a person sends although they cannot be converted. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { conversions } from '../../src/modules/uploads/images.ts';
import { createUser, onePixelPng, type Person } from '../support/factories.ts';
import { deepPng } from '../support/hostile-images.ts';
import { type ApiResponse, expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { holdConversions, upload } from '../support/upload-helpers.ts';

const api = await startTestApp();

// spec: 8 POST /v1/uploads: images: 10 MiB, 50 megapixels, three types
test('converter: the image of another person is next, although a person who occupies it has sent four before', async () => {
  const [eager, guest] = [await createUser(api), await createUser(api)];
  const { releaseOne, release } = holdConversions(eager.id);
  const responses: Promise<ApiResponse>[] = [];
  const send = async (by: Person) => {
    const waiting = conversions.waiting;
    responses.push(upload(api, by, onePixelPng));
    while (conversions.waiting === waiting) await sleep(2);
  };
  for (const person of [eager, eager, eager, eager, guest]) await send(person);
  // One conversion runs at a time, so ids have the order of the conversions.
  releaseOne();
  for (const response of await Promise.all(responses)) expectStatus(response, 201);
  release();
  const rows = await api.sql<{ userId: string }[]>`select user_id as "userId" from uploads order by id`;
  assert.deepEqual(
    rows.map(({ userId }) => userId === guest.id),
    [true, false, false, false, false],
  );
});

// spec: 8 POST /v1/uploads: images: 100 per day and 1 GiB per person
test('converter: a refused image counts: 429 for the image after 100 refused ones, and nothing more is counted', async () => {
  const [person, other] = [await createUser(api), await createUser(api)];
  const bomb = deepPng(7_071, 7_071, 1);
  const counted = async () => {
    const [row] =
      await api.sql`select today, bytes::int as bytes from upload_usage where user_id = ${person.id}`;
    return row && { ...row };
  };
  expectProblem(await upload(api, person, bomb), 400, 'image_invalid');
  assert.deepEqual(await counted(), { today: 1, bytes: 0 });
  await api.sql`update upload_usage set today = 98 where user_id = ${person.id}`;
  for (const bytes of [bomb, Buffer.from('no image')])
    expectProblem(await upload(api, person, bytes), 400, 'image_invalid');
  for (const bytes of [bomb, onePixelPng]) {
    const response = expectProblem(await upload(api, person, bytes), 429, 'too_many_uploads');
    assert.ok(Number(response.headers.get('retry-after')) > 0);
  }
  assert.deepEqual(await counted(), { today: 100, bytes: 0 });
  expectStatus(await upload(api, other, onePixelPng), 201);
});
