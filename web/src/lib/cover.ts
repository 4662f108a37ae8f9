import type { ListedEvent } from '@potluck/client';

/**
 * The image of an event: an upload to this server, or the drawn cover. An image on another server would reveal
 * the visitor's address to that server.
 */
export const coverOf = ({
  id,
  coverUrl,
  category,
}: Pick<ListedEvent, 'id' | 'coverUrl' | 'category'>): string => {
  const upload = /\/v1\/uploads\/[^/?#]+$/.exec(coverUrl)?.[0];
  return upload ?? `/v1/events/${id}/cover.svg?category=${category.slug}`;
};

/** The path of an avatar on this server. */
export const avatarOf = (avatar: string): string => /\/v1\/.*$/.exec(avatar)?.[0] ?? '';
