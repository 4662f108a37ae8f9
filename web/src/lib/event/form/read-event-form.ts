/** Reads the form of an event, on the server and for drafts in browsers. */

import { valuesOf } from '#lib/event/form/event-fields.ts';
import type { EventValues, ItemValues } from '#lib/event/form/event-values.ts';
import { parseTime } from '#lib/event/form/wall-times.ts';
import { type Fields, textOf } from '#lib/forms/texts.ts';
import { parseChosen } from '#lib/places/parse-chosen.ts';

export function readEventForm(form: Fields): EventValues {
  const text = (name: string) => textOf(form.get(name));
  const choice = parseChosen(text('choice'));
  return {
    ...valuesOf(text, (name) => form.has(name)),
    ...timesOf(text),
    ...(choice?.address !== undefined && { address: choice.address }),
    place: choice ? JSON.stringify(choice) : text('place'),
    startAt: text('startAt'),
    endAt: text('endAt'),
    modules: form.getAll('module').map(textOf),
    coverUrl: form.has('removeCover') ? '' : text('coverUrl'),
    template: text('template'),
    tag: text('tag'),
    key: text('key'),
    items: readItems(form),
    organizerName: text('organizerName'),
    message: text('message'),
    inviteGuests: form.has('inviteGuests'),
    scope: text('scope'),
  };
}

/** The times as `18:30`, however they were written. A text that is no time stays, so that it is refused. */
const timesOf = (text: (name: string) => string) => {
  const timeOf = (name: string) => parseTime(text(name)) ?? text(name);
  return {
    startTime: timeOf('startTime'),
    endTime: timeOf('endTime'),
    rsvpUntilTime: timeOf('rsvpUntilTime'),
  };
};

function readItems(form: Fields): ItemValues[] {
  const column = (name: string) => form.getAll(name).map(textOf);
  const [kinds, quantities, emojis] = ['itemKind', 'itemQuantity', 'itemEmoji'].map(column);
  return column('itemTitle').map((title, i) => ({
    title,
    kind: kinds?.[i] ?? 'bring',
    quantity: quantities?.[i] ?? '',
    emoji: emojis?.[i] ?? '',
  }));
}
