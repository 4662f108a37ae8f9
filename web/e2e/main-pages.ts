/** The main pages, for tests of what all pages have in common. */
import { sendMessage } from '@potluck/client';
import { claim, goTo, newEvent, newItem, type Person } from './fixtures.ts';

/** Creates an event with a list, and returns the addresses of pages for its organizer. */
export async function listPages(organizer: Person, guest: Person): Promise<string[]> {
  const { id } = await newEvent(organizer, { description: 'Bring what you like.\nhttps://example.org' });
  const item = await newItem(organizer, id);
  await newItem(organizer, id, { title: 'Plates', kind: 'wish' });
  await goTo(guest, id);
  await claim(guest, item.id);
  await sendMessage({ client: guest.client, path: { id: organizer.id }, body: { text: 'I bring bread.' } });
  return [
    '/',
    '/?view=map',
    `/e/${id}`,
    `/e/${id}/bring`,
    `/e/${id}/edit`,
    '/new',
    `/u/${guest.id}`,
    '/people?q=a',
    '/mine',
    '/messages',
    `/messages/${guest.id}`,
    `/e/${id}/guest-list`,
    '/notifications',
    '/notifications/settings',
    // Made by no server: the page shows the kind.
    '/unsubscribe?token=reminder.AZei9GweejSaUS8M',
    '/settings',
    '/settings/profile',
    '/design',
  ];
}
