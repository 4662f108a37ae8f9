/** The contact that a form asks for, before a code is sent to it and with the code. */
import { texts } from '#lib/forms/texts.ts';
import type { PageFields } from '#lib/server/read-fields.ts';

/** `contact`: the number or the address, as it was typed. `code`: undefined until one is asked for. */
export type Entered = { by: 'phone' | 'email'; contact: string; country: string; code?: string };

export function readContact(form: PageFields): Entered {
  const { phone, email, country } = texts(form, 'phone', 'email', 'country');
  const by = form.has('email') ? 'email' : 'phone';
  return { by, contact: by === 'email' ? email : phone, country };
}

/** Without scripts, a page does not know the country of the visitor. */
export const countryOf = (country: string) => (country === '' ? {} : { country });

/** A code as people enter it. */
export const readCode = (form: PageFields): string => texts(form, 'code').code.replace(/\s/g, '');

/** The way that an address asks for; null for none. */
export const readWay = (query: PageFields): Entered['by'] | null =>
  (['phone', 'email'] as const).find((way) => way === query.text('by')) ?? null;
