/** Changing an event, its items and its copies, and its lists for the organizer. */
import { readFile } from 'node:fs/promises';
import { bookSeats, getEvent, listItems, setRsvp, updateEvent } from '@potluck/client';
import { claim, expect, goTo, holdScripts, newEvent, newItem, overflowOf, test } from './fixtures.ts';
import { openStep } from './form-steps.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAIAAAAmkwkpAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEElEQVQImWNYai8ORwzEcQChAw+xtlcNAgAAAABJRU5ErkJggg==',
  'base64',
);
const avif = Buffer.from(
  'AAAAHGZ0eXBhdmlmAAAAAG1pZjFhdmlmbWlhZgAAANZtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAAAAAERAAAEAAQAAAAAA+gABAAAAAAAAACQAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABhdjAxAAAAAA5waXRtAAAAAAABAAAAVmlwcnAAAAA4aXBjbwAAAAxhdjFDgSACAAAAABRpc3BlAAAAAAAAAAQAAAAEAAAAEHBpeGkAAAAAAwgICAAAABZpcG1hAAAAAAAAAAEAAQOBAgMAAAAsbWRhdBIACgg4BH2kBDQaQDIWGUJjBMAANAAAkEDJHGFHZ27V9hNyeg==',
  'base64',
);
const pages = [
  'edit',
  'items',
  'bring',
  'guest-list',
  'bookings',
  'duplicate',
  'repeat',
  'cancel',
  'delete',
  'bring.csv',
];

test("organizer's pages: others are refused, and visitors sign in first", async ({
  page,
  createPerson,
  openBrowser,
}) => {
  const organizer = await createPerson();
  const event = await newEvent(organizer);
  const other = await openBrowser(await createPerson());
  for (const name of pages) {
    await page.goto(`/e/${event.id}/${name}`);
    await expect(page).toHaveURL(`/sign-in?next=${encodeURIComponent(`/e/${event.id}/${name}`)}`);
    const response = await other.goto(`/e/${event.id}/${name}`);
    expect(response?.status()).toBe(403);
    await expect(other.getByText('Only the organizer may do this.')).toBeVisible();
  }
});

test('edit: every field is shown as it is stored, and saving changes only what was entered', async ({
  page,
  createPerson,
  signIn,
}) => {
  const organizer = await createPerson();
  const before = await newEvent(organizer, {
    // Nearly as long as possible, in a script whose letters are two bytes each
    description: `Bring a chair.\nAnd a friend.\n${Array(2_400).fill('شاي').join(' ')}`,
    price: 12.5,
    capacity: 40,
    visibility: 'unlisted',
    enabledModules: ['bringList'],
  });
  await signIn(page.context(), organizer);
  await page.goto(`/e/${before.id}/edit`);
  await expect(page.getByLabel('Price')).toHaveValue('12.5');
  expect(await overflowOf(page)).toBe(0);
  await page.getByLabel('Title').fill('Harbour potluck, now indoors');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(`/e/${before.id}`);
  const { data: after } = await getEvent({ client: organizer.client, path: { id: before.id } });
  expect(after).toEqual({ ...before, title: 'Harbour potluck, now indoors', updatedAt: after.updatedAt });
});

test('edit: fewer seats than are booked are refused at the field', async ({ page, createPerson, signIn }) => {
  const organizer = await createPerson();
  const event = await newEvent(organizer, { capacity: 10 });
  const path = { id: event.id };
  await bookSeats({ client: (await createPerson()).client, path, body: { seats: 4 } });
  await signIn(page.context(), organizer);
  await page.goto(`/e/${event.id}/edit`);
  await page.getByLabel('Seats', { exact: true }).fill('3');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByLabel('Seats', { exact: true })).toHaveAccessibleDescription(
    /More seats than this are booked/,
  );
  await expect(page.getByLabel('Seats', { exact: true })).toHaveValue('3');
});

test('edit: a second host sees what the first has saved meanwhile, keeps the entries, and overwrites knowingly', async ({
  page,
  createPerson,
  signIn,
  openBrowser,
}) => {
  const organizer = await createPerson();
  const event = await newEvent(organizer, { description: 'Bring a chair.' });
  const stored = async () => (await getEvent({ client: organizer.client, path: { id: event.id } })).data;
  await signIn(page.context(), organizer);
  const other = await openBrowser(organizer);
  for (const each of [page, other]) await each.goto(`/e/${event.id}/edit`);
  await page.getByLabel('Title').fill('Indoors');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(`/e/${event.id}`);

  await other.getByLabel('Title').fill('Outdoors');
  await other.getByLabel('Description').fill('Bring a tent.');
  await other.getByRole('button', { name: 'Save' }).click();
  await expect(other.getByText('Someone has changed this meanwhile.')).toBeVisible();
  const differences = other.getByRole('region', { name: 'What differs' });
  await expect(differences.getByRole('definition')).toHaveText([
    'Indoors',
    'Outdoors',
    'Bring a chair.',
    'Bring a tent.',
  ]);
  await expect(other.getByLabel('Title')).toHaveValue('Outdoors');
  expect((await stored()).title).toBe('Indoors');
  expect(await overflowOf(other)).toBe(0);

  await other.getByRole('button', { name: 'Save' }).click();
  await expect(other).toHaveURL(`/e/${event.id}`);
  expect([(await stored()).title, (await stored()).description]).toEqual(['Outdoors', 'Bring a tent.']);
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('cover: a drawn theme is chosen without scripts', async ({ page, createPerson, signIn }) => {
    const organizer = await createPerson();
    const event = await newEvent(organizer);
    await signIn(page.context(), organizer);
    await page.goto(`/e/${event.id}/edit`);
    await page.getByRole('radio', { name: 'Moon' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.locator('img[src*="cover.svg"]').first()).toHaveAttribute('src', /&theme=moon$/);
  });

  test('edit: a change of another host meanwhile is shown without scripts, too', async ({
    page,
    createPerson,
    signIn,
  }) => {
    const organizer = await createPerson();
    const event = await newEvent(organizer);
    await signIn(page.context(), organizer);
    await page.goto(`/e/${event.id}/edit`);
    await updateEvent({ client: organizer.client, path: { id: event.id }, body: { title: 'Indoors' } });
    await page.getByLabel('Title').fill('Outdoors');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('alert')).toHaveText('Someone has changed this meanwhile.');
    await expect(page.getByRole('definition')).toHaveText(['Indoors', 'Outdoors']);
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page).toHaveURL(`/e/${event.id}`);
  });
});

test('edit: a draft is published', async ({ page, createPerson, signIn }) => {
  const organizer = await createPerson();
  const event = await newEvent(organizer, { visibility: 'private' });
  await signIn(page.context(), organizer);
  await page.goto(`/e/${event.id}/edit`);
  await page.getByRole('button', { name: 'Publish' }).click();
  await expect(page).toHaveURL(`/e/${event.id}?published`);
  const { data } = await getEvent({ client: organizer.client, path: { id: event.id } });
  expect(data.visibility).toBe('public');
});

test('cover: an image of 11 MiB is refused kindly, the form is kept, and a smaller one is uploaded', async ({
  page,
  createPerson,
  signIn,
}) => {
  const organizer = await createPerson();
  const event = await newEvent(organizer);
  await signIn(page.context(), organizer);
  await page.goto(`/e/${event.id}/edit`);
  await page.getByLabel('Title').fill('With a picture');
  const cover = page.getByLabel('Cover image', { exact: true });
  await cover.setInputFiles({
    name: 'large.jpg',
    mimeType: 'image/jpeg',
    buffer: Buffer.alloc(11 * 1024 ** 2, 1),
  });
  await expect(cover).toHaveAccessibleDescription(/This image has 11.0 MB. Up to 10 MB are possible/);
  await expect(page.getByLabel('Title')).toHaveValue('With a picture');
  await cover.setInputFiles({ name: 'small.avif', mimeType: 'image/avif', buffer: avif });
  await expect(page.getByRole('img', { name: 'The chosen cover image' })).toBeVisible();
  await page.getByRole('button', { name: 'Remove the image' }).click();
  await cover.setInputFiles({ name: 'small.png', mimeType: 'image/png', buffer: png });
  await expect(page.getByRole('img', { name: 'The chosen cover image' })).toBeVisible();
  await page.getByRole('radio', { name: 'Top right' }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(`/e/${event.id}`);
  await expect(page.locator('img[fetchpriority=high]')).toHaveCSS('object-position', '100% 0%');
  const { data } = await getEvent({ client: organizer.client, path: { id: event.id } });
  expect(data).toMatchObject({ title: 'With a picture', coverFocus: 'right-top' });
  expect(data.coverUrl).toMatch(/\/v1\/uploads\/.+\.webp$/);
});

test('cover: a drawn theme is chosen by its picture, with the keyboard too', async ({
  page,
  createPerson,
  signIn,
}) => {
  const organizer = await createPerson();
  const event = await newEvent(organizer);
  const chosen = async () => {
    const { data } = await getEvent({ client: organizer.client, path: { id: event.id } });
    return data.coverTheme;
  };
  await signIn(page.context(), organizer);
  await page.goto(`/e/${event.id}/edit`);
  const themes = page.getByRole('group', { name: 'Drawn cover' });
  await expect(themes.getByRole('radio')).toHaveCount(13);
  await expect(themes.getByRole('radio', { name: 'Surprise me' })).toBeChecked();
  await themes.getByRole('radio', { name: 'Surprise me' }).focus();
  await page.keyboard.press('ArrowDown');
  await expect(themes.getByRole('radio', { name: 'Picnic cloth' })).toBeChecked();
  const pictures = themes.locator('img');
  for (const picture of await pictures.all()) {
    await picture.scrollIntoViewIfNeeded();
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1200);
  }
  expect(await overflowOf(page)).toBe(0);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(`/e/${event.id}`);
  expect(await chosen()).toBe('gingham');
  await expect(page.locator('img[src*="cover.svg"]').first()).toHaveAttribute('src', /&theme=gingham$/);
  await page.goto(`/e/${event.id}/edit`);
  await expect(themes.getByRole('radio', { name: 'Picnic cloth' })).toBeChecked();
  await themes.getByRole('radio', { name: 'Surprise me' }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(`/e/${event.id}`);
  expect(await chosen()).toBeNull();
});

test('items: fewer than are claimed are refused at the field', async ({ page, createClaim, signIn }) => {
  const { host: organizer, event } = await createClaim(2);
  await signIn(page.context(), organizer);
  await page.goto(`/e/${event.id}/items`);
  const row = page.getByRole('listitem').filter({ hasText: 'Sourdough bread' });
  await row.getByText('Sourdough bread').click();
  await row.getByLabel('How many').fill('1');
  await row.getByRole('button', { name: 'Save' }).click();
  await expect(row.getByLabel('How many')).toHaveAccessibleDescription(/Guests already bring more than this/);
  await expect(row.getByLabel('How many')).toHaveValue('1');
  await row.getByLabel('How many').fill('2');
  await row.getByLabel('What').fill('Rye bread');
  await row.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('status')).toContainText('Rye bread was saved.');
  await expect(page.getByText('2 of 2')).toBeVisible();
});

test('items: a row that is opened before the scripts start stays open', async ({
  page,
  createClaim,
  signIn,
}) => {
  const { host: organizer, event } = await createClaim(2);
  await signIn(page.context(), organizer);
  const start = await holdScripts(page);
  await page.goto(`/e/${event.id}/items`, { waitUntil: 'commit' });
  const row = page.getByRole('listitem').filter({ hasText: 'Sourdough bread' });
  await row.getByText('Sourdough bread').click();
  await expect(row.getByLabel('How many')).toBeVisible();
  start();
  await page.waitForLoadState('networkidle');
  await expect(row.getByLabel('How many')).toBeVisible();
});

test('items: one is added, and deleting a claimed one asks and says how many claims end', async ({
  page,
  createPerson,
  signIn,
}) => {
  const organizer = await createPerson();
  const event = await newEvent(organizer);
  const item = await newItem(organizer, event.id);
  for (const guest of [await createPerson(), await createPerson()]) {
    await goTo(guest, event.id);
    await claim(guest, item.id);
  }
  await signIn(page.context(), organizer);
  await page.goto(`/e/${event.id}/items`);
  const form = page.locator('form[action="?/add"]');
  await form.getByLabel('What').fill('Lemonade');
  await form.getByLabel('How many').fill('4');
  await form.getByRole('button', { name: 'Add item' }).click();
  await expect(page.getByRole('status')).toContainText('Lemonade was added.');
  await page.getByText('Lemonade', { exact: true }).click();
  await page.getByRole('button', { name: 'Delete Lemonade' }).click();
  await expect(page.getByText('Lemonade', { exact: true })).toHaveCount(0);
  await page.getByText('Sourdough bread').click();
  await page.getByRole('button', { name: 'Delete Sourdough bread' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Delete “Sourdough bread”?' })).toBeVisible();
  await expect(page.getByText('2 guests bring this. Their 2 claims end')).toBeVisible();
  const path = { id: event.id };
  expect((await listItems({ client: organizer.client, path })).data.data).toHaveLength(1);
  await page.getByRole('button', { name: 'Delete item' }).click();
  await expect(page.getByText('The list is empty.')).toBeVisible();
  expect((await listItems({ client: organizer.client, path })).data.data).toHaveLength(0);
});

test('duplicate: the copy is a draft on another date with the items, and without the claims', async ({
  page,
  createClaim,
  signIn,
}) => {
  const { host: organizer, event } = await createClaim(2);
  await signIn(page.context(), organizer);
  await page.goto(`/e/${event.id}/edit`);
  await page.getByRole('link', { name: 'Duplicate' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Duplicate event' })).toBeVisible();
  await page.getByLabel('Starts on').fill('2027-03-28');
  await page.getByLabel('Starts at').fill('02:30');
  await page.getByLabel('Ends at').fill('06:00');
  await page.getByRole('button', { name: 'Duplicate' }).click();
  await expect(page.getByLabel('Starts on')).toHaveAccessibleDescription(/does not exist/);
  await page.getByLabel('Starts at').fill('18:00');
  await page.getByLabel('Ends at').fill('01:00');
  await page.getByRole('button', { name: 'Duplicate' }).click();
  await expect(page).toHaveURL(/\/e\/[0-9a-f-]{36}\/edit\?copied$/);
  await expect(page.getByText('This is the copy, a draft.')).toBeVisible();
  const path = { id: new URL(page.url()).pathname.split('/')[2] ?? '' };
  expect(path.id).not.toBe(event.id);
  const { data: copy } = await getEvent({ client: organizer.client, path });
  expect(copy).toMatchObject({
    visibility: 'private',
    startAt: '2027-03-28T16:00:00.000Z',
    endAt: '2027-03-28T23:00:00.000Z',
  });
  const { data: items } = await listItems({ client: organizer.client, path });
  expect(items.data).toMatchObject([{ title: 'Sourdough bread', quantityNeeded: 3, quantityClaimed: 0 }]);
});

test('cancel: says who is notified, and takes the event back in', async ({ page, createPerson, signIn }) => {
  const organizer = await createPerson();
  const event = await newEvent(organizer);
  await goTo(await createPerson(), event.id);
  await signIn(page.context(), organizer);
  const statusOf = async () =>
    (await getEvent({ client: organizer.client, path: { id: event.id } })).data.status;
  await page.goto(`/e/${event.id}/cancel`);
  await expect(page.getByText('1 guest is notified.')).toBeVisible();
  await page.getByRole('button', { name: 'Cancel event' }).click();
  await expect(page).toHaveURL(`/e/${event.id}`);
  expect(await statusOf()).toBe('cancelled');
  await page.goto(`/e/${event.id}/cancel`);
  await page.getByRole('button', { name: 'Reinstate event' }).click();
  await expect(page).toHaveURL(`/e/${event.id}`);
  expect(await statusOf()).toBe('scheduled');
});

test('delete: asks first, and warns that guests are not notified', async ({ page, createPerson, signIn }) => {
  const organizer = await createPerson();
  const event = await newEvent(organizer);
  await goTo(await createPerson(), event.id);
  await signIn(page.context(), organizer);
  await page.goto(`/e/${event.id}/delete`);
  await expect(page.getByText('Guests are not notified.')).toBeVisible();
  await page.getByRole('button', { name: 'Delete event' }).click();
  await expect(page).toHaveURL('/mine');
  expect((await page.goto(`/e/${event.id}/edit`))?.status()).toBe(404);
});

test('who brings what: by item, by person, and as a file for spreadsheets', async ({
  page,
  createPerson,
  signIn,
}) => {
  const organizer = await createPerson();
  const event = await newEvent(organizer);
  const bread = await newItem(organizer, event.id);
  const salad = await newItem(organizer, event.id, { title: 'Salad, "green"', quantityNeeded: 1 });
  await newItem(organizer, event.id, { title: '=1+1', kind: 'wish', quantityNeeded: 5 });
  const [mara, ben] = [await createPerson('Mara Lindgren'), await createPerson('@Ben')];
  for (const guest of [mara, ben]) await goTo(guest, event.id);
  await claim(mara, bread.id, 2, 'Rye, sliced');
  await claim(ben, bread.id);
  await claim(mara, salad.id);
  await signIn(page.context(), organizer);
  await page.goto(`/e/${event.id}/bring`);
  await expect(page.getByRole('heading', { level: 1, name: 'Who brings what' })).toBeVisible();
  const row = page.getByRole('listitem').filter({ hasText: 'Sourdough bread' });
  await expect(row).toContainText('3 of 3');
  await expect(row).toContainText(/Mara Lindgren\s×\s2: Rye, sliced, @Ben/);
  await expect(page.getByRole('listitem').filter({ hasText: '=1+1' })).toContainText('Nobody yet');
  expect(await overflowOf(page)).toBe(0);

  await page.getByRole('link', { name: 'By person' }).click();
  const person = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: 'Mara Lindgren' }) });
  await expect(person).toContainText(/Sourdough bread\s*× 2: Rye, sliced/);
  await expect(person).toContainText('Salad, "green"');

  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'CSV file' }).click();
  const file = await (await download).path();
  expect(await readFile(file, 'utf8')).toBe(
    '\uFEFF"Item","Kind","Needed","Claimed","Person","Brings","What exactly"\r\n' +
      '"Sourdough bread","Bring",3,3,"Mara Lindgren",2,"Rye, sliced"\r\n' +
      '"Sourdough bread","Bring",3,3,"\'@Ben",1,""\r\n' +
      '"Salad, ""green""","Bring",1,1,"Mara Lindgren",1,""\r\n' +
      '"\'=1+1","Wish",5,0,"","",""\r\n',
  );
});

test('who brings what: 30 items are printed on one page, without the navigation', async ({
  page,
  createPerson,
  signIn,
}) => {
  const organizer = await createPerson();
  const event = await newEvent(organizer);
  const guest = await createPerson('Wilhelmina Vandenberg');
  await goTo(guest, event.id);
  for (let n = 1; n <= 30; n++) {
    const item = await newItem(organizer, event.id, { title: `A dish with quite a long name, number ${n}` });
    await claim(guest, item.id, 2);
  }
  await signIn(page.context(), organizer);
  await page.goto(`/e/${event.id}/bring`);
  await expect(page.getByRole('heading', { name: 'number 30' })).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByRole('navigation')).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'CSV file' })).toBeHidden();
  const pdf = (
    await page.pdf({ format: 'A4', margin: { top: '10mm', bottom: '10mm', left: '10mm', right: '10mm' } })
  ).toString('latin1');
  expect(pdf.match(/\/Type\s*\/Page\b(?!s)/g)).toHaveLength(1);
});

test('tabs: the one of the page is in sight on a phone, and bookings have one at an event with seats', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const organizer = await createPerson();
  await signIn(context, organizer);
  const tabs = page.getByRole('navigation', { name: 'Your event' }).getByRole('link');
  await page.goto(`/e/${(await newEvent(organizer)).id}/guest-list`);
  await expect(tabs).toHaveText(['Edit', 'Items', 'Bringing', 'Invite', 'Guests', 'Messages']);
  const { id } = await newEvent(organizer, { capacity: 5 });
  for (const [name, path] of [
    ['Edit', 'edit'],
    ['Guests', 'guest-list'],
    ['Bookings', 'bookings'],
    ['Messages', 'announcements'],
  ]) {
    await page.goto(`/e/${id}/${path}`);
    await expect(tabs).toHaveText(['Edit', 'Items', 'Bringing', 'Invite', 'Guests', 'Messages', 'Bookings']);
    await expect(tabs.filter({ hasText: name })).toBeInViewport({ ratio: 1 });
  }
});

test('bookings and guests: the organizer sees seats, the waitlist, and the size of each party', async ({
  page,
  createPerson,
  signIn,
}) => {
  const organizer = await createPerson();
  const event = await newEvent(organizer, { capacity: 3 });
  const path = { id: event.id };
  const [mara, ben] = [await createPerson('Mara Lindgren'), await createPerson('Ben Okafor')];
  const bread = await newItem(organizer, event.id);
  await bookSeats({ client: mara.client, path, body: { seats: 2 } });
  await bookSeats({ client: ben.client, path, body: { seats: 2, waitlist: true } });
  await setRsvp({ client: mara.client, path, body: { status: 'going', extraGuests: 2, isHidden: true } });
  await claim(mara, bread.id, 2);
  await setRsvp({ client: ben.client, path, body: { status: 'interested' } });
  await signIn(page.context(), organizer);
  await page.goto(`/e/${event.id}/bookings`);
  await expect(page.getByText('2 of 3 seats')).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: 'Mara Lindgren' })).toContainText('2 seats');
  await expect(page.getByText('1 person is waiting')).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: 'Ben Okafor' })).toContainText('1.');
  await page.getByRole('link', { name: 'Guests' }).click();
  await expect(page.getByText('3 people are coming')).toBeVisible();
  await expect(page.getByText('1 guest and 2 plus-ones, 1 without a seat · 1 maybe')).toBeVisible();
  for (const [name, path] of [
    ['2 of 3 seats booked', 'bookings'],
    ['2 of 3 things covered', 'bring'],
  ] as const)
    await expect(page.getByRole('link', { name })).toHaveAttribute('href', `/e/${event.id}/${path}`);
  const guest = page.getByRole('listitem').filter({ hasText: 'Mara Lindgren' });
  await expect(guest).toContainText('3 people');
  await expect(guest).toContainText('2 seats');
  await expect(guest.getByRole('link', { name: 'Mara Lindgren', exact: true })).toHaveAttribute(
    'href',
    `/u/${mara.id}`,
  );
  await expect(guest).toContainText('only you see this guest');
  await expect(guest).toContainText(/Sourdough bread\s×\s2/);
  await expect(guest).toContainText('Replied');
  await expect(guest).not.toContainText('guest_');
  const write = { name: 'Message Mara Lindgren', includeHidden: true };
  await expect(guest.getByRole('link', write)).toHaveAttribute(
    'href',
    `/messages/${mara.id}?event=${event.id}`,
  );
  expect(await overflowOf(page)).toBe(0);
  await expect(page.getByRole('heading', { name: 'Maybe' })).toBeVisible();
  await page.getByRole('searchbox', { name: 'Find a guest' }).fill('lindgr');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('listitem').filter({ hasText: 'Ben Okafor' })).toHaveCount(0);
  await expect(guest).toBeVisible();
  // The list of the event leads its organizer here.
  await page.goto(`/e/${event.id}/guests`);
  await expect(page).toHaveURL(`/e/${event.id}/guest-list`);
  // Those who come and bring nothing are one part of the list.
  await page.getByRole('link', { name: 'Brings nothing yet 0' }).click();
  await expect(guest).toHaveCount(0);
  await page.getByRole('link', { name: 'Maybe 1' }).click();
  await expect(guest).toHaveCount(0);
  await expect(page.getByRole('listitem').filter({ hasText: 'Ben Okafor' })).toBeVisible();
  const csv = await page.request.get(`/e/${event.id}/guests.csv`);
  const lines = (await csv.text()).split('\r\n');
  expect(lines[0]).toBe('\uFEFF"Person","Username","Answer","People","Since"');
  expect(lines[1]).toMatch(/^"Mara Lindgren","guest_\w+","Going",3,/);
  expect(lines[2]).toMatch(/^"Ben Okafor","guest_\w+","Maybe",1,/);
  await updateEvent({ client: organizer.client, path, body: { enabledModules: ['bringList'] } });
  await page.goto(`/e/${event.id}/bookings`);
  await expect(page.getByText('Bookings of seats are switched off.')).toBeVisible();
});

for (const javaScriptEnabled of [true, false])
  test.describe(javaScriptEnabled ? 'guests' : 'guests without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('the organizer sorts them by name, by reply and by what they bring', async ({
      page,
      createPerson,
      signIn,
    }) => {
      const organizer = await createPerson();
      const event = await newEvent(organizer);
      const [ada, ben, cleo] = [
        await createPerson('Ada First'),
        await createPerson('Ben Second'),
        await createPerson('Cleo Third'),
      ];
      for (const guest of [cleo, ada, ben]) await goTo(guest, event.id);
      await claim(ben, (await newItem(organizer, event.id, { title: 'Apple cake' })).id, 1);
      await claim(cleo, (await newItem(organizer, event.id, { title: 'Zander soup' })).id, 1);
      await signIn(page.context(), organizer);
      await page.goto(`/e/${event.id}/guest-list?show=going`);
      const names = page.getByRole('main').getByRole('link', { name: /^(Ada|Ben|Cleo) \w+$/ });
      await expect(names).toHaveText(['Ada First', 'Ben Second', 'Cleo Third']);
      const sort = async (name: string) => {
        await page.getByRole('button', { name: 'Sort by' }).click();
        await page.getByRole('link', { name }).click();
      };
      await sort('Latest reply');
      await expect(page).toHaveURL(`/e/${event.id}/guest-list?show=going&sort=reply`);
      await expect(names).toHaveText(['Ben Second', 'Ada First', 'Cleo Third']);
      await sort('What they bring');
      await expect(names).toHaveText(['Ben Second', 'Cleo Third', 'Ada First']);
      await page.getByRole('searchbox', { name: 'Find a guest' }).fill('cleo');
      await page.keyboard.press('Enter');
      await expect(page).toHaveURL(`/e/${event.id}/guest-list?show=going&sort=brings&q=cleo`);
      await expect(names).toHaveText(['Cleo Third']);
    });
  });

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('items and cancellation work with forms alone', async ({ page, createClaim, signIn }) => {
    const { host: organizer, event } = await createClaim();
    await signIn(page.context(), organizer);
    await page.goto(`/e/${event.id}/items`);
    await page.getByText('Sourdough bread').click();
    await page.getByRole('button', { name: 'Delete Sourdough bread' }).click();
    await expect(page.getByText('1 guest brings this.')).toBeVisible();
    await page.getByRole('button', { name: 'Delete item' }).click();
    await expect(page.getByText('The list is empty.')).toBeVisible();
    await page.goto(`/e/${event.id}/cancel`);
    await page.getByRole('button', { name: 'Cancel event' }).click();
    await expect(page).toHaveURL(`/e/${event.id}`);
    const description = 'Bring a chair.\nAnd a friend.';
    await updateEvent({ client: organizer.client, path: { id: event.id }, body: { description } });
    await page.goto(`/e/${event.id}/edit`);
    await expect(page.getByText('Choosing an image needs JavaScript.')).toBeVisible();
    await page.getByLabel('Title').fill('On paper');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page).toHaveURL(`/e/${event.id}`);
    const { data } = await getEvent({ client: organizer.client, path: { id: event.id } });
    expect(data).toMatchObject({
      title: 'On paper',
      description,
      status: 'cancelled',
      startAt: event.startAt,
    });
  });
});

for (const javaScriptEnabled of [true, false])
  test(`edit, cancel: guests read what changed, and the words of the organizer, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async ({
    browser,
    createPerson,
    openBrowser,
    signIn,
  }) => {
    const [organizer, guest] = [await createPerson(), await createPerson()];
    const event = await newEvent(organizer);
    await setRsvp({ client: guest.client, path: event, body: { status: 'going' } });
    const context = await browser.newContext({ javaScriptEnabled });
    await signIn(context, organizer);
    const page = await context.newPage();
    await page.goto(`/e/${event.id}/edit`);
    if (javaScriptEnabled) await openStep(page, 'Guests');
    await page.getByLabel('Message to your guests (optional)').fill('It rains.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText('only when the time or the place changes')).toBeVisible();
    await expect(page.getByLabel('Message to your guests (optional)')).toHaveValue('It rains.');

    await page.goto(`/e/${event.id}/cancel`);
    await page.getByLabel('Message to your guests (optional)').fill('I am ill.\nSorry!');
    await page.getByRole('button', { name: 'Cancel event' }).click();
    await expect(page).toHaveURL(`/e/${event.id}`);
    const other = await openBrowser(guest);
    await expect(async () => {
      await other.goto('/notifications');
      await expect(other.getByText('I am ill.')).toBeVisible({ timeout: 500 });
    }).toPass();
    await context.close();
  });
