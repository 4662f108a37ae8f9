/** Checks the messages of all languages: a visitor must get a text for every message, number and language. */
import { baseLanguage, type Language, languages } from './src/lib/language/languages.ts';

/** A text with inputs in braces, or its plural forms by the input that selects them: `{ "count": { "one": "…" } }`. */
export type Message = string | { [input: string]: Record<string, string> };
export type Messages = Record<string, Message>;

/** The input that selects the plural form; undefined for a message that is one text. */
export const countOf = (message: Message): string | undefined =>
  typeof message === 'string' ? undefined : Object.keys(message)[0];

/** The texts of a message by their plural form. A text that is the only one has no form. */
export const formsOf = (message: Message): Record<string, string> =>
  typeof message === 'string' ? { '': message } : (Object.values(message)[0] ?? {});

/** The names of the inputs: of all forms, and of the number that selects the form. */
export function inputsOf(message: Message): string[] {
  const named = Object.values(formsOf(message)).flatMap(placeholdersIn);
  return [...new Set([countOf(message) ?? [], named].flat())];
}

const placeholdersIn = (text: string): string[] =>
  [...text.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);

/** @returns a line for each defect, which names the language, the message and the form */
export function findDefects(messages: Record<Language, Messages>): string[] {
  const names = new Set(languages.flatMap((language) => Object.keys(messages[language])));
  return [...names].flatMap((name) => {
    if (!/^[a-z][a-z0-9_]*$/.test(name))
      return `${name}: a name has lower-case letters, digits and underscores only`;
    const base = messages[baseLanguage][name];
    return languages.flatMap((language) => {
      const message = messages[language][name];
      const defects = message === undefined ? ['the message is missing'] : defectsOf(message, base, language);
      return defects.map((defect) => `${language} ${name}: ${defect}`);
    });
  });
}

/** @param base the message in the base language, which says what the inputs are */
function defectsOf(message: Message, base: Message | undefined, language: Language): string[] {
  if (!isMessage(message)) return ['neither a text nor the plural forms of one input'];
  const defects = [...formDefects(message, language), ...braceDefects(message)];
  if (base === undefined || !isMessage(base)) return defects;
  if (countOf(message) !== countOf(base))
    defects.push(
      `the form depends on ${nameOf(countOf(message))}, in ${baseLanguage} on ${nameOf(countOf(base))}`,
    );
  return [...defects, ...inputDefects(message, inputsOf(base))];
}

const nameOf = (input: string | undefined): string => (input === undefined ? 'no input' : `{${input}}`);

/** Files of JSON may contain anything. */
function isMessage(value: unknown): value is Message {
  if (typeof value === 'string') return true;
  const [forms, ...others] = isObject(value) ? Object.values(value) : [];
  return (
    others.length === 0 && isObject(forms) && Object.values(forms).every((text) => typeof text === 'string')
  );
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function formDefects(message: Message, language: Language): string[] {
  if (countOf(message) === undefined) return [];
  const categories: string[] = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  const forms = Object.keys(formsOf(message));
  return [
    ...categories.filter((form) => !forms.includes(form)).map((form) => `the form "${form}" is missing`),
    ...forms.filter((form) => !categories.includes(form)).map((form) => `no number has the form "${form}"`),
  ];
}

const braceDefects = (message: Message): string[] =>
  Object.entries(formsOf(message)).flatMap(([form, text]) =>
    /[{}]/.test(text.replace(/\{\w+\}/g, '')) ? `${inForm(form)}braces without the name of an input` : [],
  );

function inputDefects(message: Message, expected: string[]): string[] {
  const unknown = Object.entries(formsOf(message)).flatMap(([form, text]) =>
    placeholdersIn(text)
      .filter((input) => !expected.includes(input))
      .map((input) => `${inForm(form)}the input {${input}} does not exist in ${baseLanguage}`),
  );
  const inputs = inputsOf(message);
  const missing = expected.filter((input) => !inputs.includes(input));
  return [...unknown, ...missing.map((input) => `the input {${input}} is missing`)];
}

const inForm = (form: string): string => (form === '' ? '' : `form "${form}": `);
