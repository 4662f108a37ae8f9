/** Handles the answer of a form in a dialog: the page below stays where it is if the form leads to it. */
import { leaveTop } from '#lib/effects/history-entry.ts';
import type { ActionResult } from '$app/forms';
import { goto } from '$app/navigation';
import { page } from '$app/state';

/** For `createForm`. Returns undefined for an answer that the page handles. */
export function stayOnPage(answer: ActionResult): Promise<void> | undefined {
  if (answer.type !== 'redirect' || !isSamePage(answer.location)) return;
  const { location } = answer;
  return leaveTop().then(() => goto(location, { refreshAll: true, reset: false, replace: true }));
}

const isSamePage = (location: string) => new URL(location, page.url.href).pathname === page.url.pathname;
