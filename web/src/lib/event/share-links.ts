/** Addresses that send the link of an event with a program of the visitor. They are links: nothing is loaded from there. */

export type SharingProgram = 'WhatsApp' | 'Telegram' | 'SMS' | 'E-mail';
type Link = { name: SharingProgram; href: string };

/** @param text is sent before the link */
export function shareLinks({ title, text, link }: Record<'title' | 'text' | 'link', string>): Link[] {
  const [subject, words, address, all] = [title, text, link, `${text}\n${link}`].map(encodeURIComponent);
  return [
    { name: 'WhatsApp', href: `https://wa.me/?text=${all}` },
    { name: 'Telegram', href: `https://t.me/share/url?url=${address}&text=${words}` },
    { name: 'SMS', href: `sms:?&body=${all}` },
    { name: 'E-mail', href: `mailto:?subject=${subject}&body=${all}` },
  ];
}
