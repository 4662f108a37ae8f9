/** Tells the other tabs of the browser about a sign-in or sign-out. */

import { pagesCache } from '#lib/offline/stored-pages.ts';
import { invalidateAll } from '$app/navigation';
import { removeDraftsOfOthers } from './drafts.ts';

const channelName = 'potluck-session';
const personKey = 'potluck-person';

/**
 * Announces who is signed in, and loads the page again when another tab announces someone else.
 * @param personId null if no one is signed in
 * @returns a function that stops listening
 */
export function followSession(personId: string | null): () => void {
  void removePagesOfOthers(personId);
  const channel = new BroadcastChannel(channelName);
  channel.onmessage = ({ data }: MessageEvent<string | null>) => {
    if (data !== personId) void invalidateAll();
  };
  channel.postMessage(personId);
  const onShow = ({ persisted }: PageTransitionEvent) => {
    if (personId !== null && persisted) void leaveIfSignedOut();
  };
  addEventListener('pageshow', onShow);
  if (personId !== null && isFromHistory()) void leaveIfSignedOut();
  return () => {
    channel.close();
    removeEventListener('pageshow', onShow);
  };
}

/** Whether the browser shows the page again because of its Back button, without asking the server. */
const isFromHistory = (): boolean =>
  performance
    .getEntriesByType('navigation')
    .some((entry) => (entry as PerformanceNavigationTiming).type === 'back_forward');

/** A page from the history must not show an account that has been signed out. Offline, it can still be read. */
async function leaveIfSignedOut(): Promise<void> {
  if ((await askWhoIsSignedIn()) === null) await invalidateAll();
}

/** Returns the id of the person; null if no one is signed in; undefined if the server does not say. */
async function askWhoIsSignedIn(): Promise<string | null | undefined> {
  const response = await fetch('/v1/auth/me', { cache: 'no-store' }).catch(() => null);
  if (response?.ok) return ((await response.json()) as { id: string }).id;
  return response?.status === 401 || response?.status === 403 ? null : undefined;
}

/** Removes the kept pages if they are of someone else, or of the person who has signed out. */
async function removePagesOfOthers(personId: string | null): Promise<void> {
  try {
    const last = localStorage.getItem(personKey) ?? '';
    if (last === (personId ?? '')) return;
    // A page that the service worker has stored may be of another person, or of none, and changes nothing.
    if (last !== '' && (await askWhoIsSignedIn()) !== personId) return;
    if (last !== '' && 'caches' in globalThis) await caches.delete(pagesCache);
    // The drafts of a person whose session has ended wait for the next sign-in.
    if (personId !== null) removeDraftsOfOthers(personId);
    localStorage.setItem(personKey, personId ?? '');
  } catch {
    // A browser that forbids storage keeps no pages either.
  }
}
