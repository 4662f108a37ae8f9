/** The story of a guest by keyboard alone: Tab, Enter, Space, Escape, and what is typed into fields. */
import type { Locator, Page } from '@playwright/test';
import { listItems } from '@potluck/client';
import { openEvent } from './event-steps.ts';
import { expect, newEvent, newItem, newPhone, test } from './fixtures.ts';

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  await expect(target).toBeAttached();
  for (let presses = 0; presses < 60; presses++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`Tab does not reach ${target}`);
}

/** Presses a key often enough to go around the open dialog, and expects the focus never to reach the page. */
async function expectFocusTrap(page: Page, key: string): Promise<void> {
  const reached = new Set<string>();
  for (let presses = 0; presses < 15; presses++) {
    await page.keyboard.press(key);
    reached.add(
      await page.evaluate(() => {
        const { activeElement } = document;
        if (activeElement === document.body) return 'browser';
        return activeElement?.closest('dialog[open]')
          ? (activeElement.getAttribute('name') ?? 'dialog')
          : 'page';
      }),
    );
  }
  expect([...reached]).not.toContain('page');
  expect([...reached]).toContain('phone');
}

test('keyboard: skip link, sign-in, RSVP, claim and give back; dialogs trap the focus, Escape returns it', async ({
  page,
  createPerson,
}) => {
  test.setTimeout(60_000);
  const host = await createPerson();
  const event = await newEvent(host);
  await newItem(host, event.id);
  await openEvent(page, event);
  const { keyboard } = page;

  // The skip link is the first stop, and leads to the content.
  await keyboard.press('Tab');
  const skip = page.getByRole('link', { name: 'Skip to content' });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
  await keyboard.press('Tab');
  await expect(page.getByRole('main').locator(':focus')).toHaveCount(1);

  // The dialog of the sign-in
  const going = page.getByRole('button', { name: "I'm going" });
  await tabTo(page, going);
  await expect(going).toBeInViewport();
  await keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Your phone number' });
  await expect(dialog).toBeVisible();
  await expectFocusTrap(page, 'Tab');
  await expectFocusTrap(page, 'Shift+Tab');
  await keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(going).toBeFocused();

  // Sign-in and RSVP
  await keyboard.press('Space');
  await tabTo(page, page.getByRole('textbox', { name: 'Your phone number' }));
  await keyboard.type(newPhone());
  await keyboard.press('Enter');
  const code = page.getByRole('textbox', { name: 'Code' });
  await expect(code).toBeFocused();
  await keyboard.type(/\d{6}/.exec(await page.getByText('The code is').innerText())?.[0] ?? '');
  await expect(page.getByRole('textbox', { name: 'Your name' })).toBeFocused();
  await keyboard.type('Nora Guest');
  await keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(page.getByRole('status').filter({ hasText: "You're going" })).toBeVisible();
  await expect(going).toBeFocused();

  // Claim one and one more, and say what exactly
  await tabTo(page, page.getByRole('button', { name: 'Bring Sourdough bread' }));
  await keyboard.press('Enter');
  await expect(page.getByText('You bring 1')).toBeVisible();
  const more = page.getByRole('button', { name: 'One more: Sourdough bread' });
  await expect(more).toBeFocused();
  await keyboard.press('Enter');
  await expect(page.getByText('You bring 2')).toBeVisible();
  await expect(more).toBeFocused();
  const quantity = page.getByLabel('How many: Sourdough bread');
  await keyboard.press('Shift+Tab');
  await expect(quantity).toBeFocused();
  await keyboard.press('ArrowUp');
  await expect(page.getByText('You bring 3')).toBeVisible();
  await expect(quantity).toBeFocused();
  await expect(more).toBeDisabled();
  await tabTo(page, page.getByLabel('What exactly?'));
  await keyboard.type('Rye');
  await keyboard.press('Enter');
  await expect(page.locator('summary').filter({ hasText: 'Rye' })).toBeFocused();

  // "Can't go" asks what happens to the claim; Escape changes nothing.
  const cantGo = page.getByRole('button', { name: "Can't go" });
  await tabTo(page, cantGo, 'Shift+Tab');
  await keyboard.press('Enter');
  const question = page.getByRole('dialog', { name: 'Do you still bring this?' });
  await expect(question).toBeVisible();
  await keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(cantGo).toBeFocused();

  await tabTo(page, page.getByRole('button', { name: 'One less: Sourdough bread' }));
  await keyboard.press('Space');
  await expect(page.getByText('You bring 2')).toBeVisible();
  await keyboard.press('Space');
  await expect(page.getByText('You bring 1')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Give back Sourdough bread' })).toBeFocused();
  await keyboard.press('Space');
  await expect(page.getByRole('button', { name: 'Undo' })).toBeFocused();
  await expect(page.getByText('3 still needed')).toBeVisible();
  const { data } = await listItems({ client: host.client, path: { id: event.id } });
  expect(data.data[0]?.quantityClaimed).toBe(0);
});

test('dialog: pressed again at once after Escape, the button opens it again', async ({
  page,
  createPerson,
}) => {
  await openEvent(page, await newEvent(await createPerson()));
  const going = page.getByRole('button', { name: "I'm going" });
  await going.click();
  const dialog = page.getByRole('dialog', { name: 'Your phone number' });
  await expect(dialog).toBeVisible();
  // Escape closes the dialog in the same way. The event `close` follows in a later task, here after the press.
  await going.evaluate(async (button: HTMLButtonElement) => {
    const open = document.querySelector<HTMLDialogElement>('dialog[open]');
    const closed = new Promise((resolve) => open?.addEventListener('close', resolve, { once: true }));
    open?.close();
    button.click();
    await closed;
  });
  await expect(dialog).toBeVisible();
});
