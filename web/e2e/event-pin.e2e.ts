/** The pin on the map of the form of an event. */
import { getEvent } from '@potluck/client';
import { expect, newEvent, type Person, test, withWebGl } from './fixtures.ts';
import { openStep } from './form-steps.ts';

test.use(withWebGl);

const isEvent = /\/e\/[0-9a-f-]{36}(\?[\w=&]+)?$/;
const stored = async ({ client }: Person, id: string) => (await getEvent({ client, path: { id } })).data;

test('pin: the arrow keys move it, its position is announced, and the spot is stored as exact', async ({
  page,
  createPerson,
  signIn,
}) => {
  const person = await createPerson();
  await signIn(page.context(), person);
  const place = { address: 'Kastanjegatan 14, Mölndal', lat: 57.6554, lng: 12.0138, isExact: false };
  const { id } = await newEvent(person, { location: place });
  await page.goto(`/e/${id}/edit`);
  await openStep(page, 'Where');
  const pin = page.getByRole('button', { name: /^Pin\. Arrow keys move it/ });
  await expect(pin).toBeVisible({ timeout: 20_000 });
  await pin.focus();
  for (const key of ['ArrowRight', 'ArrowRight', 'Shift+ArrowUp']) await page.keyboard.press(key);
  await expect(
    page.getByText(/^You moved the pin \d.* k?m\. This map has no streets: guests get the address\.$/),
  ).toBeVisible();
  await expect(pin).toBeFocused();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(isEvent);
  const { location } = await stored(person, id);
  expect(location).toMatchObject({ address: place.address, isExact: true });
  expect(location.lng).toBeGreaterThan(place.lng);
  expect(location.lat).toBeGreaterThan(place.lat);
  await page.goto(`/e/${id}/edit`);
  await openStep(page, 'Where');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(isEvent);
  expect((await stored(person, id)).location.isExact).toBe(false);
});

test('pin: a new event has none until a tap on the map sets it', async ({ page, createPerson, signIn }) => {
  await signIn(page.context(), await createPerson());
  await page.goto('/new?template=potluck');
  await openStep(page, 'Where');
  await page.getByRole('button', { name: 'Choose on the map' }).click();
  const map = page.getByRole('group', { name: 'Spot on the map' });
  await expect(map.locator('canvas')).toBeVisible({ timeout: 20_000 });
  const pin = page.getByRole('button', { name: /^Pin\. Arrow keys move it/ });
  await expect(pin).toHaveCount(0);
  await map.locator('canvas').click();
  await expect(pin).toBeVisible();
  await expect(page.getByText('About here. This map has no streets')).toBeVisible();
});
