/** Words of people in mails to contacts that nobody has confirmed here: they must not lead strangers to other places. */

const maxLength = 60;
/** A domain, with any of the dots that IDNA knows, or an IPv4 address; `//`; `@`; more than six digits in a row. */
const leading =
  /[\p{L}\p{M}\p{N}-][.。．｡]\p{L}[\p{L}\p{M}\p{N}-]|(?:\p{Nd}{1,3}[.]){3}\p{Nd}|\/\/|[@＠﹫]|\p{Nd}{7}/u;

/** The words, cut to 60 characters; null for words that could lead a reader to another place, and for none. */
export function shownWords(text: string): string | null {
  const visible = text.replace(/\p{Cf}/gu, '').trim();
  if (visible === '' || leading.test(visible)) return null;
  const characters = [...visible];
  return characters.length <= maxLength ? visible : `${characters.slice(0, maxLength - 1).join('')}…`;
}
