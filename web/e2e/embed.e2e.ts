/** An event in a frame of another site. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, newEvent, newItem, overflowOf, test } from './fixtures.ts';

/** Serves a page of another site with a frame. A routed address would be one that browsers let frame no local server. */
async function openBlog(frame: string): Promise<{ address: string; close(): void }> {
  const body = `<!doctype html><title>Blog</title><iframe src="${frame}" width="340" height="480"></iframe>`;
  const server = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { address: `http://localhost:${port}/`, close: () => server.close() };
}

test('embed: another site shows the event, what is left, and a link that opens it in a new tab', async ({
  page,
  baseURL,
  createPerson,
}) => {
  const organizer = await createPerson();
  const { id } = await newEvent(organizer);
  await newItem(organizer, id, { quantityNeeded: 3 });
  const blog = await openBlog(`${baseURL}/embed/${id}`);
  await page.goto(blog.address);
  const frame = page.frameLocator('iframe');
  await expect(frame.getByRole('heading', { level: 1, name: 'Harbour potluck' })).toBeVisible();
  await expect(frame.getByText('3 things left to bring')).toBeVisible();
  const tab = page.waitForEvent('popup');
  await frame.getByRole('link', { name: 'Open the event' }).click();
  await expect(await tab).toHaveURL(`${baseURL}/e/${id}`);
  blog.close();
});

test('embed: has no navigation, no scripts and no cookies, and fits a narrow frame', async ({
  page,
  createPerson,
}) => {
  await page.setViewportSize({ width: 320, height: 480 });
  const { id } = await newEvent(await createPerson(), { title: 'A'.repeat(140) });
  const response = await page.goto(`/embed/${id}`);
  expect(response?.headers()['set-cookie']).toBeUndefined();
  await expect(page.getByRole('navigation')).toHaveCount(0);
  await expect(page.locator('script')).toHaveCount(0);
  await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', 'noindex');
  expect(await overflowOf(page)).toBe(0);
});

test('embed: other sites may show no other page in a frame', async ({ page, createPerson }) => {
  const { id } = await newEvent(await createPerson());
  for (const path of [`/e/${id}`, '/', '/sign-in']) {
    const headers = (await page.request.get(path)).headers();
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['x-frame-options']).toBe('DENY');
  }
  const headers = (await page.request.get(`/embed/${id}`)).headers();
  expect(headers['content-security-policy']).toContain('frame-ancestors *');
  expect(headers['x-frame-options']).toBeUndefined();
});

test('embed: 404 for a draft', async ({ page, createPerson }) => {
  const { id } = await newEvent(await createPerson(), { visibility: 'private' });
  expect((await page.goto(`/embed/${id}`))?.status()).toBe(404);
});
