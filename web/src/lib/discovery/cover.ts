import type { ListedEvent } from '@potluck/client';
import { uploadOf } from '#lib/components/uploads.ts';

/** The path of a drawn cover of this server, with its theme; null for any other address. */
const drawnOf = (address: string): string | null =>
  /\/v1\/events\/[^/?#]+\/cover\.svg\?[\w=&-]*$/.exec(address)?.[0] ?? null;

/** The image of an event: an upload to this server, or the drawn cover. */
export const coverOf = ({
  id,
  coverUrl,
  category,
}: Pick<ListedEvent, 'id' | 'coverUrl'> & Partial<Pick<ListedEvent, 'category'>>): string =>
  uploadOf(coverUrl) ??
  drawnOf(coverUrl) ??
  `/v1/events/${id}/cover.svg${category ? `?category=${category.slug}` : ''}`;

/** The class that keeps the chosen part of a photo visible. A drawn cover has its subject in the middle. */
export const focusOf = ({ coverUrl, coverFocus }: Pick<ListedEvent, 'coverUrl' | 'coverFocus'>): string =>
  uploadOf(coverUrl) ? `focus-${coverFocus}` : '';
