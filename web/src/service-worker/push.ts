/** Shows what the server pushes. The server writes the text, because it knows the language of the visitor. */
import { self } from '$app/service-worker';

type Text = { title: string; body: string; href: string };

/** Without the text, a notification must appear nevertheless: browsers show one of their own otherwise. */
const fallback: Text = { title: 'Potluck', body: '', href: '/notifications' };

self.addEventListener('push', (event) => {
  const { id = '' } = (event.data?.json() ?? {}) as { id?: string };
  event.waitUntil(show(id));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(self.clients.openWindow(String(event.notification.data)));
});

async function show(id: string): Promise<void> {
  const { title, body, href } = await readText(id).catch(() => fallback);
  await self.registration.showNotification(title, { body, data: href, tag: id });
}

async function readText(id: string): Promise<Text> {
  const response = await fetch(`/notifications/push?id=${encodeURIComponent(id)}`);
  return response.ok ? ((await response.json()) as Text) : fallback;
}
