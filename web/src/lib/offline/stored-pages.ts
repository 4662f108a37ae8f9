/** What pages and the service worker both know about the pages that are stored on the device. */

/** The cache of one person's pages. The page empties it when someone else signs in (session-channel.ts). */
export const pagesCache = 'potluck-pages';

/** Shown instead of a page that is not stored. The server makes it without a session. */
export const offlinePath = '/offline';
