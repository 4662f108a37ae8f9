/** Two people have changed an event at the same time: what the form of the second one shows. */
import { categoryName } from '#lib/event/category-name.ts';
import type { EventConflict, EventValues } from '#lib/event/event-values.ts';
import { m } from '#lib/messages/index.js';

/** The fields of the form, in its order. Times are shown together with their dates. */
const labels: [keyof EventValues, () => string][] = [
  ['title', m.organizer_title],
  ['category', m.organizer_category],
  ['description', m.organizer_description],
  ['town', m.organizer_town],
  ['address', m.organizer_address],
  ['allDay', m.organizer_all_day],
  ['startDate', m.organizer_start_date],
  ['startTime', m.organizer_start_time],
  ['endDate', m.organizer_end_date],
  ['endTime', m.organizer_end_time],
  ['coverUrl', m.organizer_cover],
  ['price', m.organizer_price],
  ['currency', m.organizer_currency],
  ['capacity', m.organizer_capacity],
  ['modules', m.organizer_modules],
  ['visibility', m.organizer_visibility],
  ['guestListVisibility', m.organizer_guest_list_visibility],
  ['claimantVisibility', m.organizer_claimant_visibility],
];

const audiences: Record<string, () => string> = {
  organizer: m.organizer_audience_organizer,
  guests: m.organizer_audience_guests,
  everyone: m.organizer_audience_everyone,
};
const visibilities: Record<string, () => string> = {
  public: m.organizer_visibility_public,
  unlisted: m.organizer_visibility_unlisted,
  private: m.organizer_visibility_private,
};
const modules: Record<string, () => string> = {
  bringList: m.organizer_module_bring,
  wishList: m.organizer_module_wish,
  booking: m.organizer_module_booking,
};

/** The value of a field as the visitor reads it; empty for none. */
function shown(values: EventValues, name: keyof EventValues): string {
  const value = values[name];
  if (name === 'modules')
    return values.modules
      .map((each) => modules[each]?.() ?? each)
      .sort()
      .join(', ');
  if (name === 'category') return values.category && categoryName(values.category);
  if (name === 'visibility') return visibilities[values.visibility]?.() ?? '';
  if (name === 'guestListVisibility' || name === 'claimantVisibility')
    return audiences[values[name]]?.() ?? '';
  if (name === 'allDay') return values.allDay ? '✓' : '';
  return String(value);
}

/** The fields in which the stored event differs from what the visitor entered. */
export const conflictOf = (stored: EventValues, entered: EventValues): EventConflict[] =>
  labels
    .map(([name, label]) => ({ label: label(), theirs: shown(stored, name), mine: shown(entered, name) }))
    .filter(({ theirs, mine }) => theirs !== mine);
