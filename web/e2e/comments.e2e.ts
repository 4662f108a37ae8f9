/** Comments on the page of an event. */
import { writeComment } from '@potluck/client';
import { openEvent } from './event-steps.ts';
import { expect, goTo, newEvent, test } from './fixtures.ts';

test('comments: a guest asks, the host replies, both see it at once, and a link is no recommendation', async ({
  page,
  createPerson,
  openBrowser,
  signIn,
}) => {
  const host = await createPerson('Hedda Host');
  const event = await newEvent(host);
  const guest = await createPerson('Ada Lovelace');
  await goTo(guest, event.id);
  await signIn(page.context(), guest);
  await openEvent(page, event);
  const comments = page.locator('#comments');
  await comments.getByLabel('Your comment').fill('Is there parking? https://example.org/map');
  await comments.getByRole('button', { name: 'Send' }).click();
  await expect(comments.getByRole('link', { name: 'https://example.org/map' })).toHaveAttribute(
    'rel',
    'nofollow ugc noopener',
  );
  await expect(comments.getByLabel('Your comment')).toHaveValue('');

  const other = await openBrowser(host);
  await openEvent(other, event);
  const ofHost = other.locator('#comments');
  await ofHost.getByText('Reply', { exact: true }).click();
  await ofHost.getByLabel('Your reply').fill('Yes, behind the barn.');
  await ofHost.getByRole('button', { name: 'Send' }).first().click();
  await expect(comments.getByText('Yes, behind the barn.')).toBeVisible();
  await expect(comments.getByText('Host', { exact: true })).toBeVisible();
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });
  test('comments: writing and deleting work', async ({ page, createPerson, signIn }) => {
    const host = await createPerson('Hedda Host');
    const event = await newEvent(host);
    await writeComment({ client: host.client, path: { id: event.id }, body: { text: 'Bring slippers' } });
    await signIn(page.context(), host);
    await page.goto(`/e/${event.id}`);
    await page.locator('#comments a').click();
    const comments = page.locator('#comments');
    await comments.getByLabel('Your comment').fill('And cake');
    await comments.getByRole('button', { name: 'Send' }).last().click();
    await expect(comments.getByText('And cake')).toBeVisible();
    await comments.getByLabel('More: Hedda Host').last().click();
    await comments.getByRole('button', { name: 'Delete this comment' }).last().click();
    await expect(page.locator('#comments').getByText('And cake')).toHaveCount(0);
  });
});
