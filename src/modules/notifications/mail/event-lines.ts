/** When and where an event is, as the pages show it: at the venue, in the language of the reader. */
import { type Language, localeOf } from '../../../../web/src/lib/language/languages.ts';
import type { MailContent } from '../../../mail/layout.ts';
import { mailText } from '../../../mail/mail-text.ts';
import type { NoticedEvent } from '../../../outbox/notices.ts';
import type { ChangedPart, Changes } from '../notices.ts';

export type MailedEvent = Pick<
  NoticedEvent,
  'title' | 'startAt' | 'endAt' | 'allDay' | 'timezone' | 'address'
>;

/** With the name of the zone: a reader may be in another one. The end of an all-day event is exclusive. */
function formatPeriod({ startAt, endAt, allDay, timezone: timeZone }: MailedEvent, tag: string): string {
  const day = { timeZone, weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const;
  const format = new Intl.DateTimeFormat(tag, {
    ...day,
    ...(!allDay && { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' }),
  });
  return format.formatRange(startAt, allDay ? new Date(endAt.getTime() - 1) : endAt);
}

export function eventBlock(event: MailedEvent, language: Language): NonNullable<MailContent['event']> {
  const [tag, { startAt, timezone: timeZone, title, address }] = [localeOf[language], event];
  const part = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(tag, { timeZone, ...options }).format(startAt);
  return {
    month: part({ month: 'short' }),
    day: part({ day: 'numeric' }),
    title,
    lines: [formatPeriod(event, tag), address].filter((line) => line !== ''),
  };
}

/** What changed, from what to what; each part a line. */
export function changeLines({ parts, before, after }: Changes, language: Language): string[] {
  const shown: Partial<Record<ChangedPart, (event: MailedEvent) => string>> = {
    title: ({ title }) => title,
    time: (event) => formatPeriod(event, localeOf[language]),
    address: ({ address }) => address,
  };
  return parts.map((part) => {
    const show = shown[part] ?? (() => '');
    return mailText(`people_changed_${part}`, language, { from: show(before), to: show(after) });
  });
}
