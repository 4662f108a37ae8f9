import type { Locator, Page } from '@playwright/test';
import { openEvent, signUpHere } from './event-steps.ts';
import { claim, collectErrors, expect, goTo, newEvent, newItem, type Person, test } from './fixtures.ts';

type Dialog = {
  name: string;
  /** Loads the page, and returns the button that opens the dialog. */
  open(page: Page, people: { host: Person; guest: Person; signIn: () => Promise<void> }): Promise<Locator>;
};

/** Waits until the scripts have started, which add this button. */
async function openFront(page: Page): Promise<Locator> {
  await page.goto('/');
  await expect(page.getByRole('button', { name: 'Near me' })).not.toHaveClass(/pending/);
  return page.getByRole('link', { name: /^Filters/ });
}

const dialogs: Dialog[] = [
  { name: 'Filters', open: openFront },
  {
    name: 'Your phone number',
    async open(page, { host }) {
      await openEvent(page, await newEvent(host));
      return page.getByRole('button', { name: "I'm going" });
    },
  },
  {
    name: 'Do you still bring this?',
    async open(page, { host, guest, signIn }) {
      const event = await newEvent(host);
      const item = await newItem(host, event.id);
      await goTo(guest, event.id);
      await claim(guest, item.id);
      await signIn();
      await openEvent(page, event);
      return page.getByRole('button', { name: "Can't go" });
    },
  },
];

for (const { name, open } of dialogs)
  test(`back: it closes the dialog “${name}”, which leaves no entry when it is closed otherwise`, async ({
    page,
    context,
    createPerson,
    signIn,
  }) => {
    const errors = collectErrors(page);
    const [host, guest] = [await createPerson(), await createPerson()];
    await page.goto('/people');
    const button = await open(page, { host, guest, signIn: () => signIn(context, guest) });
    const { url, dialog } = { url: page.url(), dialog: page.getByRole('dialog', { name }) };
    await button.click();
    await expect(dialog).toBeVisible();
    await page.goBack();
    await expect(dialog).toBeHidden();
    await expect(page).toHaveURL(url);
    // Forward shows the page, and the dialog opens from there as before.
    await page.goForward();
    await expect(button).toBeVisible();
    await expect(dialog).toBeHidden();
    await page.goBack();
    await button.click();
    await expect(dialog).toBeVisible();
    await page.reload();
    await expect(button).toBeVisible();
    await expect(dialog).toBeHidden();
    await page.goBack();
    await expect(page).toHaveURL(url);
    await expect(async () => {
      if (!(await dialog.isVisible())) await button.click();
      await expect(dialog).toBeVisible({ timeout: 500 });
    }).toPass();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await expect(dialog).toBeHidden();
    await page.goBack();
    await expect(page).toHaveURL('/people');
    expect(errors).toEqual([]);
  });

test('back: from a search that the sheet of filters led to, it leads to the search before', async ({
  page,
}) => {
  const button = await openFront(page);
  const sheet = page.getByRole('dialog', { name: 'Filters' });
  await button.click();
  await sheet.getByRole('radio', { name: 'Music' }).check();
  await sheet.getByRole('button', { name: /^Show/ }).click();
  await expect(page).toHaveURL('/?category=music');
  await expect(sheet).toBeHidden();
  await button.click();
  await sheet.getByRole('link', { name: 'Clear all' }).click();
  await expect(page).toHaveURL('/');
  await expect(sheet).toBeHidden();
  const removal = page.getByRole('link', { name: 'Remove: Music' });
  await expect(removal).toHaveCount(0);
  await page.goBack();
  await expect(page).toHaveURL('/?category=music');
  await expect(removal).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL('/');
  await expect(removal).toHaveCount(0);
});

test('back: after the sign-in of a dialog, it leads to the page before that of the event', async ({
  page,
  createPerson,
}) => {
  const event = await newEvent(await createPerson());
  await page.goto('/people');
  await openEvent(page, event);
  await page.getByRole('button', { name: "I'm going" }).click();
  await signUpHere(page);
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(page.getByText("You're going").first()).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL('/people');
});

test('back: after a person is blocked in a dialog, it leads to the page before the profile', async ({
  page,
  context,
  createPerson,
  signIn,
}) => {
  const [reader, other] = [await createPerson(), await createPerson()];
  await signIn(context, reader);
  await page.goto('/people');
  await page.goto(`/u/${other.id}`);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('link', { name: 'Block' }).click();
  const dialog = page.getByRole('dialog');
  await page.goBack();
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(`/u/${other.id}`);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('link', { name: 'Block' }).click();
  await dialog.getByRole('button', { name: 'Block' }).click();
  await expect(page.getByRole('button', { name: 'Unblock' })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL('/people');
});
