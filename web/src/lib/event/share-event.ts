/** Shares the page of an event from a link that leads to the page with its link and QR code without scripts. */
import { m } from '#lib/messages/index.js';

/**
 * Opens the dialog of the system, or copies the link.
 * @returns a text to announce; empty if the system shows what happens
 */
export async function shareEvent(click: MouseEvent, { title, url }: { title: string; url: string }) {
  if (!navigator.share) return copyLink(click, url);
  click.preventDefault();
  // Visitors may close the dialog of the system.
  await navigator.share({ title, url }).catch(() => {});
  return '';
}

/** @returns a text to announce; empty without a clipboard, where the link of the page is followed */
export async function copyLink(click: MouseEvent, url: string) {
  if (!navigator.clipboard) return '';
  click.preventDefault();
  await navigator.clipboard.writeText(url);
  return m.extras_link_copied();
}
