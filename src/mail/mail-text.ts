/** The texts of mails, in the format of the messages of the pages (web/messages/). */
import news from '../../web/messages/people.json' with { type: 'json' };
import { type Language, languages } from '../../web/src/lib/language/languages.ts';
import own from './messages.json' with { type: 'json' };

type Inputs = Record<string, string | number>;
/** A text, or its plural forms by the input that selects them. */
type Text = string | Record<string, Partial<Record<Intl.LDMLPluralRule, string>>>;

const messages = { ...news, ...own };
export type MailTextName = keyof typeof messages;

const pluralRules = Object.fromEntries(
  languages.map((language) => [language, new Intl.PluralRules(language)]),
) as Record<Language, Intl.PluralRules>;

/**
 * A text of mails, or a sentence that the inbox has too: both say the same of the same thing.
 * @param inputs what stands in braces in the text
 */
export function mailText(name: MailTextName, language: Language, inputs: Inputs = {}): string {
  const text: Text = messages[name][language];
  return pluralOf(text, language, inputs).replace(/\{(\w+)\}/g, (_, input: string) => String(inputs[input]));
}

function pluralOf(text: Text, language: Language, inputs: Inputs): string {
  if (typeof text === 'string') return text;
  const [input = '', forms = {}] = Object.entries(text)[0] ?? [];
  return forms[pluralRules[language].select(Number(inputs[input]))] ?? forms.other ?? '';
}
