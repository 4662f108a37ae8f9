/** The language of the request that is being served. Requests are served at the same time, each with its own. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { baseLanguage, type Language, setLanguageSource } from '#lib/language/languages.ts';

const ofRequest = new AsyncLocalStorage<Language>();
setLanguageSource(() => ofRequest.getStore() ?? baseLanguage);

/** Calls a function that renders in this language. */
export const withLanguage = <T>(language: Language, render: () => T): T => ofRequest.run(language, render);
