/** Templates for the request that gives a message to an SMS service. */

/** `digits`: the phone number without its +. */
export type SmsValues = Record<'phone' | 'digits' | 'text' | 'sender', string>;
export type BodyFormat = 'json' | 'form';

const placeholder = /\{(phone|digits|text|sender)\}/g;

/** How a value becomes a part of the template without ending the string or the parameter around it. */
const escapes: Record<BodyFormat, (value: string) => string> = {
  json: (value) => JSON.stringify(value).slice(1, -1),
  form: encodeURIComponent,
};

/** @param format `form` also for a URL */
export const fillIn = (template: string, values: SmsValues, format: BodyFormat): string =>
  template.replace(placeholder, (_, name: keyof SmsValues) => escapes[format](values[name]));

export const hasPlaceholder = (template: string): boolean => template.search(placeholder) >= 0;

/** Whether a word in braces is none of the placeholders. */
export const hasUnknownPlaceholder = (template: string): boolean =>
  /\{[\w-]+\}/.test(template.replace(placeholder, ''));
