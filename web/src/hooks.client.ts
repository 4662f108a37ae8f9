import type { ClientInit } from '@sveltejs/kit/hooks';
import { baseLanguage, isLanguage, setLanguageSource } from '#lib/language/languages.ts';
import { withRetries } from '#lib/offline/retrying-fetch.ts';

export const init: ClientInit = () => {
  window.fetch = withRetries(window.fetch);
  // The language in which the server wrote the page: no script can read the cookie with the visitor's choice.
  const { lang, dataset } = document.documentElement;
  const hasTwelveHours = dataset.hours === '12';
  setLanguageSource(
    () => (isLanguage(lang) ? lang : baseLanguage),
    () => hasTwelveHours,
  );
};
