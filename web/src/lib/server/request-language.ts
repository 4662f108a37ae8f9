/** The language of the request that is being served. Requests are served at the same time, each with its own. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { baseLanguage, type Language, setLanguageSource } from '#lib/language/languages.ts';

/** `hasTwelveHours`: whether an English page has times such as 6:00 pm. */
type Writing = { language: Language; hasTwelveHours: boolean };

const ofRequest = new AsyncLocalStorage<Writing>();
setLanguageSource(
  () => ofRequest.getStore()?.language ?? baseLanguage,
  () => ofRequest.getStore()?.hasTwelveHours ?? false,
);

/** Calls a function that renders in this language. */
export const withLanguage = <T>(writing: Writing, render: () => T): T => ofRequest.run(writing, render);
