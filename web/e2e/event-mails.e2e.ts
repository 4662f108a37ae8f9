/** What organizers see of the mails to their guests. */
import { requestEmail, updateEvent, verifyEmail } from '@potluck/client';
import { expect, goTo, newAddress, newEvent, test } from './fixtures.ts';

for (const javaScriptEnabled of [true, false])
  test.describe(javaScriptEnabled ? 'with scripts' : 'without scripts', () => {
    test.use({ javaScriptEnabled });

    test('guests page: says how many mails to guests were sent, once there are any', async ({
      page,
      context,
      createPerson,
      signIn,
    }) => {
      const [organizer, guest] = [await createPerson(), await createPerson()];
      const { data } = await requestEmail({ client: guest.client, body: { email: newAddress() } });
      await verifyEmail({ client: guest.client, body: { code: data.devCode ?? '' } });
      const event = await newEvent(organizer);
      await goTo(guest, event.id);
      await signIn(context, organizer);
      await page.goto(`/e/${event.id}/guest-list`);
      await expect(page.getByText(guest.name).first()).toBeVisible();
      await expect(page.getByText('Mails to guests')).toHaveCount(0);
      await updateEvent({
        client: organizer.client,
        path: { id: event.id },
        body: { location: { address: 'Boathouse 7', lat: 59.9, lng: 10.7 } },
      });
      await expect(async () => {
        await page.goto(`/e/${event.id}/guest-list`);
        await expect(page.getByText('Mails to guests: 1 sent')).toBeVisible({ timeout: 500 });
      }).toPass();
    });
  });
