import type { ClientInit } from '@sveltejs/kit/hooks';
import { withRetries } from '#lib/retrying-fetch.ts';

export const init: ClientInit = () => {
  window.fetch = withRetries(window.fetch);
};
