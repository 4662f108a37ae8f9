/** An event whose exact address only people who go see. */
import AxeBuilder from '@axe-core/playwright';
import { getEvent, updateEvent } from '@potluck/client';
import { expect, newAddress, newEvent, overflowOf, readCode, test } from './fixtures.ts';
import { openStep } from './form-steps.ts';

const address = 'Fredensborgveien 22B, Oslo';
const hidden = { addressVisibility: 'going' as const, location: { address, lat: 59.9175, lng: 10.7502 } };
const note = 'The exact address is shown to people who are coming.';

for (const javaScriptEnabled of [true, false])
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('hidden address: the page shows about where it is, and the address after answering', async ({
      page,
      createPerson,
      signIn,
    }) => {
      const event = await newEvent(await createPerson(), hidden);
      const { data: shown } = await getEvent({
        client: (await createPerson()).client,
        path: { id: event.id },
      });
      await signIn(page.context(), await createPerson());
      await page.goto(`/e/${event.id}`);
      await expect(page.getByText(note)).toBeVisible();
      await expect(page.getByText(shown.location.address).first()).toBeVisible();
      await expect(page.getByText(address)).toHaveCount(0);
      await expect(page.locator('svg use[href*="map-picture"]')).toHaveCount(0);
      if (javaScriptEnabled) expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
      await page.getByRole('button', { name: "I'm going" }).click();
      await expect(page.getByText(address)).toBeVisible();
      await expect(page.getByText(note)).toHaveCount(0);
      expect(await overflowOf(page)).toBe(0);
    });

    test('hidden address: a guest without an account reads it on the own page and on that of the event', async ({
      page,
      createPerson,
    }) => {
      const event = await newEvent(await createPerson(), hidden);
      await page.goto(`/e/${event.id}/answer`);
      await expect(page.getByText(address)).toHaveCount(0);
      await page.getByLabel('Your name').fill('Nora');
      await page.getByLabel('Your mail address').fill(newAddress());
      await page.getByRole('button', { name: 'Send code' }).click();
      await page.getByRole('textbox', { name: 'Code' }).fill(await readCode(page));
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Send my answer' }).click();
      await expect(page.getByRole('status').filter({ hasText: 'You are coming, Nora.' })).toBeVisible();
      await expect(page.getByText(address)).toBeVisible();
      await page.goto(`/e/${event.id}`);
      await expect(page.getByText(address)).toBeVisible();
    });

    test('hidden address: the form of an event says who sees it, and keeps the exact place', async ({
      page,
      createPerson,
      signIn,
    }) => {
      const host = await createPerson();
      const event = await newEvent(host, { location: hidden.location });
      await signIn(page.context(), host);
      await page.goto(`/e/${event.id}/edit`);
      if (javaScriptEnabled) {
        await page.waitForLoadState('networkidle');
        await openStep(page, 'Where');
      }
      const choice = page.getByLabel('Who sees the address');
      await expect(choice).toHaveValue('everyone');
      await choice.selectOption('People who are going');
      if (javaScriptEnabled) expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
      await page.getByRole('button', { name: 'Save', exact: true }).first().click();
      await expect(page).toHaveURL(new RegExp(`/e/${event.id}(\\?|$)`));
      const path = { id: event.id };
      const { data: own } = await getEvent({ client: host.client, path });
      const { data: other } = await getEvent({ client: (await createPerson()).client, path });
      expect([own.location.address, own.addressVisibility, other.isAddressHidden]).toEqual([
        address,
        'going',
        true,
      ]);
      await expect(page.getByText(address).first()).toBeVisible();
      await updateEvent({ client: host.client, path, body: { addressVisibility: 'everyone' } });
    });
  });
