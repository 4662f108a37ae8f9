/** The fields that the entries of a calendar have, and those of them that change together. */
import { isDeepStrictEqual } from 'node:util';
import type { EntryContent } from './entry-content.ts';

type Name = keyof EntryContent;

export const textNames = ['title', 'description', 'category', 'visibility'] as const;
export const placeNames = ['location', 'locationKind', 'onlineUrl'] as const;
export const timeNames = ['startAt', 'endAt', 'allDay', 'timezone'] as const;

const groups: readonly (readonly Name[])[] = [placeNames, timeNames];
const groupOf = (name: Name): readonly Name[] => groups.find((group) => group.includes(name)) ?? [name];

export const isOfPlace = (name: Name): boolean => groupOf(name) === placeNames;
export const isOfTimes = (name: Name): boolean => groupOf(name) === timeNames;

/** Whether two differ in a field, or in one that changes with it. */
export const differsIn = (name: Name, a: Partial<EntryContent>, b: Partial<EntryContent>): boolean =>
  groupOf(name).some((member) => !isDeepStrictEqual(a[member], b[member]));
