/** What kind of file an address has answered with: by its media type, and by its beginning, because servers name wrong types. */
export type FileKind = 'calendar' | 'csv' | 'page';

const kinds: Record<string, FileKind> = {
  'text/calendar': 'calendar',
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
  'application/csv': 'csv',
  'application/vnd.ms-excel': 'csv',
  'text/html': 'page',
  'application/xhtml+xml': 'page',
};

/** In bytes. Some programs write warnings in front of a calendar. */
const headLength = 64 * 1024;

/** @param type without its parameters; empty if the server names none */
export function kindOf(bytes: Buffer, type: string): FileKind {
  // UTF-16 has a NUL beside each letter.
  const head = bytes.subarray(0, headLength).toString('latin1').replaceAll('\0', '');
  if (/^(?:[\xef\xbb\xbf\xfe\xff]{2,3})?\s*BEGIN:VCALENDAR/i.test(head)) return 'calendar';
  const named = kinds[type];
  if (named) return named;
  if (/^[\xef\xbb\xbf\xfe\xff]{0,3}\s*</.test(head)) return 'page';
  return /^BEGIN:VCALENDAR/im.test(head) || head.trim() === '' ? 'calendar' : 'csv';
}
