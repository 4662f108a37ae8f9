/** Where an entry is online. */
import { parseAddress } from '../../lib/user-texts/parse-address.ts';

/** `isOnly`: nowhere else. `url`: an https address; null if the entry names none that can be stored. */
export type EntryOnline = { isOnly: boolean; url: string | null };

const maxLength = 2_000;
const words =
  /^(?:online|online event|online-event|virtual|virtuell|en ligne|en línea|em linha|digital|digitalt|nätet|via zoom|zoom|webinar|livestream|عبر الإنترنت|أونلاين)$/iu;

/**
 * Reads the columns or fields of an entry.
 * @param address of a meeting or a stream
 * @param place the text that says where the event is
 * @returns null for an entry that is at a place alone, and for one whose place is an address: it is read with the places
 */
export function readOnline({ address, place }: { address: string; place: string }): EntryOnline | null {
  const url = storableUrl(address);
  const isOnly = words.test(place.trim()) || (place.trim() === '' && url !== null);
  return isOnly || url !== null ? { isOnly, url } : null;
}

export function storableUrl(text: string): string | null {
  const url = text.length > maxLength ? null : parseAddress(text.trim());
  return url?.protocol === 'https:' && url.username === '' && url.href.length <= maxLength ? url.href : null;
}
