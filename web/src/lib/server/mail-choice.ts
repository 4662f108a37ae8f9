import type { PreviewMailData } from '@potluck/client';
import { getLanguage, isLanguage } from '#lib/language/languages.ts';
import { previewedKinds } from '#lib/people/admin-mails.ts';

type MailChoice = Required<PreviewMailData['query']>;

const kinds = Object.keys(previewedKinds) as MailChoice['kind'][];

/** The mail that an address asks for. Default: a reminder, in the language of the page. */
export function readMailChoice({ searchParams }: URL): MailChoice {
  const language = searchParams.get('language');
  return {
    kind: kinds.find((name) => name === searchParams.get('kind')) ?? 'reminder',
    language: isLanguage(language) ? language : getLanguage(),
  };
}
