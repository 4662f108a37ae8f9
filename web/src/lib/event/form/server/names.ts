/** Names of templates and suggested items in the visitor's language. The API has them in English. */

import { getLanguage } from '#lib/language/languages.ts';
import { m } from '#lib/messages/index.js';

const messages = m as unknown as Record<string, (() => string) | undefined>;

/** A name that this version has no translation of stays as the API sends it. */
const translate = (key: string, name: string): string => messages[`organizer_${key}`]?.() ?? name;

export const templateName = ({ slug, name }: { slug: string; name: string }): string =>
  translate(`template_${slug}`, name);

export const suggestedTitle = (title: string): string =>
  translate(`item_${title.toLowerCase().replaceAll(' ', '_')}`, title);

/** The currencies of ISO 4217, and that of the event. */
export function currencyOptions(current: string): { value: string; label: string }[] {
  const names = new Intl.DisplayNames(getLanguage(), { type: 'currency' });
  const codes = new Set([...Intl.supportedValuesOf('currency'), ...(current ? [current] : [])]);
  return Array.from(codes, (value) => ({ value, label: `${value} · ${names.of(value) ?? value}` }));
}
