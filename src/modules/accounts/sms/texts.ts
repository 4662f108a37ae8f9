/** The texts of messages with codes. */
import type { Language } from '../../../../web/src/lib/language/languages.ts';
import type { Config } from '../../../config/config.ts';
import type { CodePurpose } from '../../../lib/contact.ts';

/** `advice` is left out if it makes the message too long, with the line that binds the code to a host. */
type Text = { text: string; advice?: string };

/** The code comes first, so that notifications show it, and phones find it beside the word "code". */
const texts: Record<CodePurpose, Record<Language, Text>> = {
  sign_in: {
    en: { text: '{code} is your {name} code.', advice: 'Do not share it with anyone.' },
    de: { text: '{code} ist dein Code für {name}.', advice: 'Gib ihn an niemanden weiter.' },
    sv: { text: '{code} är din kod för {name}.', advice: 'Dela den inte med någon.' },
    ar: { text: '{code} هو رمزك في {name}.', advice: 'لا تشاركه مع أحد.' },
  },
  confirm_contact: {
    en: {
      text: '{code} confirms this number for your {name} account.',
      advice: 'Do not share it with anyone.',
    },
    de: {
      text: '{code} bestätigt diese Nummer für dein Konto bei {name}.',
      advice: 'Gib ihn an niemanden weiter.',
    },
    sv: { text: '{code} bekräftar numret för ditt konto hos {name}.', advice: 'Dela den inte med någon.' },
    ar: { text: '{code} لتأكيد هذا الرقم في {name}.' },
  },
  change_contact: {
    en: {
      text: '{code} changes how you sign in to {name}.',
      advice: 'Do not share it with anyone.',
    },
    de: {
      text: '{code} ändert die Anmeldung deines Kontos bei {name}.',
      advice: 'Gib ihn an niemanden weiter.',
    },
    sv: { text: '{code} ändrar hur du loggar in hos {name}.', advice: 'Dela den inte med någon.' },
    ar: { text: '{code} لتغيير تسجيل دخولك إلى {name}.' },
  },
  guest: {
    en: { text: '{code} is your code for an event on {name}.', advice: 'Do not share it with anyone.' },
    de: { text: '{code} ist dein Code für ein Event bei {name}.', advice: 'Gib ihn an niemanden weiter.' },
    sv: { text: '{code} är din kod för ett evenemang hos {name}.', advice: 'Dela den inte med någon.' },
    ar: { text: '{code} هو رمزك لفعالية في {name}.' },
  },
  delete_account: {
    en: { text: '{code} permanently deletes your {name} account and all of its data.' },
    de: { text: '{code} löscht dein Konto bei {name} mit allen Daten für immer.' },
    sv: { text: '{code} raderar ditt konto hos {name} och alla dess data för alltid.' },
    ar: { text: '{code} لحذف حسابك في {name} نهائيًا.' },
  },
};

/** Tells of a change of the number or address with which a person signs in. */
const contactChanged: Record<Language, string> = {
  en: 'How you sign in to your {name} account was changed. If that was not you, tell its operator.',
  de: 'Die Anmeldung deines Kontos bei {name} wurde geändert. Warst du das nicht? Sag dem Betreiber Bescheid.',
  sv: 'Inloggningen för ditt konto hos {name} har ändrats. Var det inte du? Meddela den som driver tjänsten.',
  ar: 'تغيّر تسجيل دخولك إلى {name}. إن لم تفعل ذلك فأبلغ المشغّل.',
};

/** Sent by an admin to themselves. */
const test: Record<Language, string> = {
  en: '{name}: this is a test. Text messages reach you.',
  de: '{name}: Dies ist ein Test. Textnachrichten kommen bei dir an.',
  sv: '{name}: det här är ett test. Sms når dig.',
  ar: '{name}: هذه تجربة. الرسائل تصل إليك.',
};

type Naming = { instanceName: string };

const named = (texts: Record<Language, string>, language: Language, { instanceName }: Naming): string =>
  texts[language].replace('{name}', () => instanceName);

export const contactChangedText = (language: Language, naming: Naming): string =>
  named(contactChanged, language, naming);

export const testText = (language: Language, naming: Naming): string => named(test, language, naming);

/** The characters of GSM 03.38 that count as one. */
const gsm7 = /^[@£$¥èéùìòÇ\nØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&'()*+,\-./0-9:;<=>?¡A-ZÄÖÑÜ§¿a-zäöñüà]*$/;

/** A longer message is sent, and paid, as two. Other characters than those of GSM 03.38 make it UCS-2. */
const isOneMessage = (text: string): boolean => text.length <= (gsm7.test(text) ? 160 : 70);

/**
 * The text of a message. Its last line binds the code to the host of the pages, so phones enter it there, and on no
 * page of another site (the format of origin-bound one-time codes). The format implies https and its default port.
 */
export function messageText(
  { purpose, code, language }: { purpose: CodePurpose; code: string; language: Language },
  { publicUrl, instanceName }: Pick<Config, 'publicUrl'> & Naming,
): string {
  const values: Record<string, string> = { code, name: instanceName };
  const fill = (part: string) => part.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
  const { text, advice } = texts[purpose][language];
  const short = fill(text);
  const long = advice ? `${short} ${advice}` : short;
  const { protocol, host, port } = new URL(publicUrl);
  const line = `\n\n@${host} #${code}`;
  const bound = protocol === 'https:' && port === '' ? [long + line, short + line] : [];
  return [...bound, long].find(isOneMessage) ?? short;
}
