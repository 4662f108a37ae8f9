/** The functions that compiled messages call (web/compile-messages.ts). */
import { getLanguage, type Language } from './languages.ts';

type Inputs = Record<string, string | number>;
type Forms = { [form in Intl.LDMLPluralRule]?: string };

const pluralRules: Partial<Record<Language, Intl.PluralRules>> = {};

/** @returns a function that returns the text in the language of the page */
export const message =
  (texts: Record<Language, string>) =>
  (inputs?: Inputs): string =>
    fill(texts[getLanguage()], inputs);

/**
 * @param count the input whose number selects the form
 * @returns a function that returns the form of the text in the language of the page
 */
export const plural =
  (count: string, texts: Record<Language, Forms>) =>
  (inputs: Inputs): string => {
    const language = getLanguage();
    pluralRules[language] ??= new Intl.PluralRules(language);
    const form = pluralRules[language].select(Number(inputs[count]));
    // The compiler refuses messages that lack a form of their language.
    return fill(texts[language][form] ?? '', inputs);
  };

const fill = (text: string, inputs: Inputs | undefined): string =>
  inputs === undefined ? text : text.replace(/\{(\w+)\}/g, (_, input: string) => String(inputs[input]));
