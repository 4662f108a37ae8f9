import type { PreviewMailData } from '@potluck/client';
import { previewedKinds } from '#lib/admin/mails.ts';
import { getLanguage, isLanguage } from '#lib/language/languages.ts';
import { readQuery } from '#lib/server/read-fields.ts';

type MailChoice = Required<PreviewMailData['query']>;

const kinds = Object.keys(previewedKinds) as MailChoice['kind'][];

/** The mail that an address asks for. Default: a reminder, in the language of the page. */
export function readMailChoice(url: URL): MailChoice {
  const query = readQuery(url);
  const language = query.text('language');
  return {
    kind: kinds.find((name) => name === query.text('kind')) ?? 'reminder',
    language: isLanguage(language) ? language : getLanguage(),
  };
}
