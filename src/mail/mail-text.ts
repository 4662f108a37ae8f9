/** The texts of mails, in the format of the messages of the pages (web/messages/). */
import type { Language } from '../../web/src/lib/language/languages.ts';
import messages from './messages.json' with { type: 'json' };

type Inputs = Record<string, string | number>;

/** @param inputs what stands in braces in the text */
export const mailText = (name: keyof typeof messages, language: Language, inputs: Inputs = {}): string =>
  messages[name][language].replace(/\{(\w+)\}/g, (_, input: string) => String(inputs[input]));
