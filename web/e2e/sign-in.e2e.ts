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
  await giveName(page);
  await expect(page).toHaveURL('/people?q=ada');
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
});

test('sign in: the sixth digit sends the code once; a wrong code has a button for a new one beside it', async ({
  page,
}) => {
  let requests = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().includes('?/enter')) requests += 1;
  });
  await page.goto('/sign-in');
  await page.getByLabel('Your phone number').fill(newPhone());
  await page.getByRole('button', { name: 'Send code' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Enter the code' })).toBeVisible();
  const code = page.getByLabel('Code');
  await code.pressSequentially('00000');
  expect(requests).toBe(0);
  await code.pressSequentially('0');
  await expect(page.getByRole('alert')).toContainText('not valid');
  await expect(page.getByRole('button', { name: 'Sign in', exact: true }).last()).toBeEnabled();
  // The refused code, typed again, is not sent again.
  await code.press('Backspace');
  await code.pressSequentially('0');
  await code.fill('000 000');
  await page.getByRole('button', { name: 'Send a new code' }).click();
  await expect(page.getByRole('alert')).toBeHidden();
  await expect(code).toHaveValue('');
  await expect(code).toBeFocused();
  expect(requests).toBe(1);
  const digits = await readCode(page);
  // Digits of another script, with the spaces of a pasted code.
  const arabic = digits.replace(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit)));
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(
    (text) => navigator.clipboard.writeText(text),
    ` ${arabic.slice(0, 3)} ${arabic.slice(3)} `,
  );
  await code.press('Control+v');
  await giveName(page);
  await expect(page).toHaveURL('/');
  expect(requests).toBe(2);
});

test('sign in: a code that is completed while a request runs sends no second one', async ({ page }) => {
  await page.goto('/sign-in');
  await page.getByLabel('Your phone number').fill(newPhone());
  await page.getByRole('button', { name: 'Send code' }).click();
  let requests = 0;
  const gate = Promise.withResolvers<void>();
  await page.route('**/sign-in?/enter*', async (route) => {
    requests += 1;
    await gate.promise;
    await route.continue();
  });
  const code = page.getByLabel('Code');
  await code.fill('000000');
  await expect.poll(() => requests).toBe(1);
  await code.fill('111111');
  gate.resolve();
  await expect(page.getByRole('alert')).toContainText('not valid');
  expect(requests).toBe(1);
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
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible();
});

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('sign in: works with forms alone', async ({ page }) => {
    await page.goto('/sign-in');
    await page.getByLabel('Your phone number').fill(newPhone());
    await page.getByRole('button', { name: 'Send code' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Enter the code' })).toBeVisible();
    await page.getByLabel('Code').fill('000000');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByRole('alert')).toContainText('not valid');
    await page.getByRole('button', { name: 'Send a new code' }).click();
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
