/** Two people have changed an event at the same time: what the form of the second one shows. */

import { type EventFieldName, fieldRows } from '#lib/event/form/event-fields.ts';
import type { EventConflict, EventValues } from '#lib/event/form/event-values.ts';

/** A value as the visitor reads it; empty for none. */
function shown(value: EventValues[EventFieldName], nameOf = (text: string) => text): string {
  if (typeof value === 'boolean') return value ? '✓' : '';
  return [value].flat().map(nameOf).sort().join(', ');
}

/** The fields in which the stored event differs from what the visitor entered. Times are shown together with their dates. */
export const conflictOf = (stored: EventValues, entered: EventValues): EventConflict[] =>
  fieldRows
    .map(([name, { label, nameOf }]) => ({
      label: label(),
      theirs: shown(stored[name], nameOf),
      mine: shown(entered[name], nameOf),
    }))
    .filter(({ theirs, mine }) => theirs !== mine);
