/** In what one date of a series differs from the others. */
import type { EventChange } from '../events/schemas.ts';
import type { Times } from '../events/series/schedule.ts';
import type { EntryContent } from './entry-content.ts';
import { differsIn, placeNames, textNames } from './entry-fields.ts';

/** What an entry says, and the fields of which it says nothing. */
export type Said = { content: EntryContent; defaulted: (keyof EntryContent)[] };

/** @param times of the date, if nothing was changed */
export function dateChange(
  { content: said, defaulted }: Said,
  ofAll: EntryContent,
  times: Times,
): EventChange {
  const changed = [
    ...textNames.filter((name) => said[name] !== ofAll[name]),
    ...(said.status === ofAll.status ? [] : (['status'] as const)),
    ...(differsIn('location', said, ofAll) ? placeNames : []),
  ].filter((name) => !defaulted.includes(name));
  const hasOtherDays = said.allDay !== times.allDay;
  const isSameTime =
    minuteOf(said.startAt) === minuteOf(times.startAt) &&
    minuteOf(said.endAt) === minuteOf(times.endAt) &&
    !hasOtherDays;
  const hasOtherZone =
    said.timezone !== times.timezone && (hasOtherDays || !(said.allDay || defaulted.includes('timezone')));
  return {
    ...Object.fromEntries(changed.map((name) => [name, said[name]])),
    ...(!isSameTime && {
      ...{ startAt: said.startAt, endAt: said.endAt },
      ...(hasOtherDays && { allDay: said.allDay }),
      ...(hasOtherZone && { timezone: said.timezone }),
    }),
  } as EventChange;
}

const minuteOf = (at: string | Date): number => Math.floor(new Date(at).getTime() / 60_000);
