/** A whole party: a class is added by a pasted list, and guests with and without an account are invited, written to, removed and reminded. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { getEvent, invite, listGuests, listInvitations } from '@potluck/client';
import { ageInvitations } from './database.ts';
import { expect, goTo, newAddress, newEvent, newItem, overflowOf, readCode, test } from './fixtures.ts';

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Asserts that the open page has no violation that axe finds, and no horizontal scroll. */
async function inspect(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).withTags(tags).analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(' ')}`);
  expect.soft(found, page.url()).toEqual([]);
  expect.soft(await overflowOf(page), page.url()).toBe(0);
}

/** Answers with a mail address and its code. */
async function answerWithCode(page: Page, name: string): Promise<void> {
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('Your mail address').fill(newAddress());
  await inspect(page);
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByRole('textbox', { name: 'Code' }).fill(await readCode(page));
}

const pupils = Array.from({ length: 30 }, (_, i) => `Pupil ${String(i + 1).padStart(2, '0')}`);

test('class party: 30 names by paste, guests with and without an account, a message, a removal, a reminder and a link that is passed on', async ({
  page,
  createPerson,
  openBrowser,
  signIn,
}) => {
  test.setTimeout(240_000);
  const teacher = await createPerson('Tilda Teacher');
  const { client } = teacher;
  const event = await newEvent(teacher, {
    title: 'Class party',
    visibility: 'private',
    enabledModules: ['guestRsvp', 'bringList', 'comments'],
    guestListVisibility: 'guests',
  });
  await newItem(teacher, event.id, { title: 'Apple cake' });
  const path = { id: event.id };
  const guests = async () => (await listGuests({ client, path, query: { limit: 50 } })).data.data;
  const record = async () => (await getEvent({ client, path })).data;
  await signIn(page.context(), teacher);

  await test.step('the class is pasted', async () => {
    await page.goto(`/e/${event.id}/guest-list`);
    await page.getByRole('link', { name: 'Add guests' }).click();
    await page.getByLabel('Your guests').fill(pupils.join('\n'));
    await page.getByRole('button', { name: 'Check the list' }).click();
    const lines = page.getByRole('region', { name: 'This is what we read' }).getByRole('listitem');
    await expect(lines).toHaveCount(30);
    await inspect(page);
    expect((await record()).goingCount).toBe(0);
    await page.getByRole('button', { name: 'Add 30 guests' }).click();
    await expect(page).toHaveURL(`/e/${event.id}/guest-list`);
    await inspect(page);
    expect((await record()).goingCount).toBe(30);
  });

  const [parent, silent] = [await createPerson('Petra Parent'), await createPerson('Sven Silent')];
  const people = [
    { userId: parent.id },
    { userId: silent.id },
    { name: 'Ana' },
    { name: 'Other parents', maxUses: 10 },
  ];
  const made = await invite({ client, path, body: { people, message: 'Bring your appetite!' } });
  const [ofAna = '', ofMany = ''] = made.data.data.flatMap(({ url }) => (url ? new URL(url).pathname : []));

  await test.step('an account answers on the page of the event', async () => {
    const browser = await openBrowser(parent);
    await browser.goto(`/e/${event.id}`);
    await browser.getByRole('button', { name: "I'm going" }).first().click();
    await expect(browser.getByText("You're going").first()).toBeVisible();
    await inspect(browser);
  });

  await test.step('a guest without an account answers by the link of the invitation', async () => {
    const browser = await openBrowser();
    await browser.goto(ofAna);
    await expect(browser.getByText('Hi Ana! Tilda Teacher invites you')).toBeVisible();
    await inspect(browser);
    await browser.getByRole('button', { name: "I'm going" }).click();
    await expect(browser.getByRole('status').filter({ hasText: "You're going" })).toBeVisible();
    // A person to whom Ana passes the link on cannot change the answer of Ana.
    const forwarded = await openBrowser(await createPerson('Fritz Forwarded'));
    await forwarded.goto(ofAna);
    await forwarded.getByRole('button', { name: 'Maybe' }).click();
    await expect(forwarded.getByRole('alert')).toContainText('for somebody else');
    await inspect(forwarded);
  });

  const nora = await openBrowser();
  await test.step('a guest without an account answers by the link for many, and brings something', async () => {
    await nora.goto(ofMany);
    await nora.getByRole('link', { name: 'Answer without an account' }).click();
    await answerWithCode(nora, 'Nora');
    await expect(nora.getByRole('status').filter({ hasText: 'You are coming, Nora.' })).toBeVisible();
    await nora.getByRole('button', { name: 'I bring this' }).click();
    await expect(nora.getByRole('button', { name: 'Give back', exact: true })).toBeVisible();
    await inspect(nora);
    expect((await record()).goingCount).toBe(33);
  });

  await test.step('the teacher writes to the guests, who read it', async () => {
    await page.goto(`/e/${event.id}/announcements`);
    await page.getByLabel('Your message').fill('We meet in the gym.');
    await page.getByRole('button', { name: 'Preview' }).click();
    // The pupils have no address, but are guests as others are.
    await expect(page.getByRole('status').filter({ hasText: 'gym' })).toContainText('33 people get it.');
    await inspect(page);
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(page.getByText('Your message is on its way.')).toBeVisible();
    await nora.goto(`/e/${event.id}`);
    await expect(nora.getByRole('region', { name: 'From the organizer' })).toContainText(
      'We meet in the gym.',
    );
    await inspect(nora);
  });

  await test.step('a guest is removed, and has the event no longer', async () => {
    await page.goto(`/e/${event.id}/guest-list`);
    await page.getByRole('link', { name: 'Change or remove Nora' }).click();
    await inspect(page);
    await page.getByRole('button', { name: 'Remove guest' }).click();
    await expect(page).toHaveURL(`/e/${event.id}/guest-list`);
    expect((await guests()).map(({ user }) => user.name)).not.toContain('Nora');
    expect((await record()).goingCount).toBe(32);
    expect((await nora.goto(`/e/${event.id}`))?.status()).toBe(404);
  });

  await test.step('a person who has not answered is reminded, once', async () => {
    await page.goto(`/e/${event.id}/guest-list`);
    const waiting = page.getByRole('region', { name: 'No answer yet' });
    await expect(waiting.getByRole('listitem')).toHaveText([/Sven Silent/]);
    await expect(page.getByText('You can remind people a day after you invited them.')).toBeVisible();
    await ageInvitations(event);
    await page.reload();
    await page.getByRole('button', { name: 'Remind 1 person' }).click();
    await expect(page.getByText('1 person is reminded.')).toBeVisible();
    await expect(page.getByRole('button', { name: /^Remind/ })).toHaveCount(0);
    await inspect(page);
    const { data } = await listInvitations({ client, path, query: { status: 'pending' } });
    expect(data.data.map(({ user }) => user?.name)).toEqual(['Sven Silent']);
  });
});

test('class party with approval: a guest without an account asks to join, is approved, and reads the answer', async ({
  page,
  createPerson,
  openBrowser,
}) => {
  test.setTimeout(90_000);
  const teacher = await createPerson('Tilda Teacher');
  const event = await newEvent(teacher, { title: 'Class party', rsvpApproval: 'organizer' });
  await goTo(teacher, event.id);
  await page.goto(`/e/${event.id}/answer`);
  await page.getByLabel('Message to the organizer (optional)').fill('The mother of Ida.');
  await answerWithCode(page, 'Nora');
  await expect(page.getByRole('status').filter({ hasText: 'You asked to join' })).toBeVisible();
  await inspect(page);

  const other = await openBrowser(teacher);
  await other.goto(`/e/${event.id}/guest-list`);
  const requests = other.getByRole('region', { name: 'Asked to join' });
  await expect(requests.getByText('The mother of Ida.')).toBeVisible();
  await inspect(other);
  await requests.getByRole('button', { name: 'Approve Nora' }).click();
  await expect(requests).toHaveCount(0);
  await inspect(other);
  await page.goto(`/e/${event.id}`);
  await page.getByRole('link', { name: 'Your answer' }).click();
  await expect(page.getByText('You are coming, Nora.')).toBeVisible();
  await inspect(page);
});
