/** Signing in and out. */
import { giveName } from './event-steps.ts';
import { expect, newPhone, overflowOf, readCode, test } from './fixtures.ts';

test('sign in: a phone number and the code lead back to the page before', async ({ page }) => {
  await page.goto('/people?q=ada');
  await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Your phone number').fill(newPhone());
  await page.getByRole('button', { name: 'Send code' }).click();
  const code = page.getByLabel('Code');
  await expect(code).toHaveAttribute('autocomplete', 'one-time-code');
  await code.fill(await readCode(page));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await giveName(page);
  await expect(page).toHaveURL('/people?q=ada');
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
});

test('sign in: a wrong code is refused with a reason, and another one may be entered', async ({ page }) => {
  await page.goto('/sign-in');
  await page.getByLabel('Your phone number').fill(newPhone());
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByLabel('Code').fill('000000');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('alert')).toContainText('not valid');
  await expect(page.getByLabel('Code')).toBeVisible();
});

test('sign in: a number is accepted as it is dialled in the country of the browser', async ({ page }) => {
  await page.goto('/sign-in');
  await expect(page.getByText('Norway: as you dial it')).toBeVisible();
  const phone = page.getByLabel('Your phone number');
  await phone.fill('412');
  await page.getByRole('button', { name: 'Send code' }).click();
  await expect(phone).toHaveAccessibleDescription(/too few digits/);
  await phone.fill('412 34 567');
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByLabel('Code').fill(await readCode(page));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
});

test('sign in: the code of the text message is entered where the browser can read it', async ({ page }) => {
  await page.addInitScript(() => {
    const get = ({ otp }: { otp?: { transport: string[] } } = {}) =>
      new Promise((resolve) => {
        Object.assign(window, { receive: (code: string) => resolve({ code }), otp });
      });
    Object.assign(window, { OTPCredential: class {} });
    Object.defineProperty(navigator, 'credentials', { value: { get } });
  });
  await page.goto('/sign-in');
  await page.waitForLoadState('networkidle');
  await page.getByLabel('Your phone number').fill(newPhone());
  await page.getByRole('button', { name: 'Send code' }).click();
  const code = /\d{6}/.exec(await page.getByText('The code is').innerText())?.[0] ?? '';
  await page.evaluate((received) => {
    const { receive, otp } = window as unknown as {
      receive(code: string): void;
      otp: { transport: string[] };
    };
    if (otp.transport[0] === 'sms') receive(received);
  }, code);
  await expect(page.getByLabel('Code')).toHaveValue(code);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('sign in: works with forms alone', async ({ page }) => {
    await page.goto('/sign-in');
    await page.getByLabel('Your phone number').fill(newPhone());
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByLabel('Code').fill(await readCode(page));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await giveName(page);
    await expect(page).toHaveURL('/');
    await expect(page.getByRole('button', { name: 'Your account' })).toBeVisible();
  });

  test('language: a choice is kept, and Arabic is written from right to left', async ({ page }) => {
    await page.goto('/');
    await page.getByRole('button', { name: 'العربية' }).click();
    await expect(page.locator('html')).toHaveAttribute('dir', 'rtl');
    await page.goto('/sign-in');
    await expect(page.getByLabel('رقم هاتفك')).toBeVisible();
    expect(await overflowOf(page)).toBe(0);
  });
});
