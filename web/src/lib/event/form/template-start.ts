/** What the form of a new event takes from a template, and how another template takes its place. */
import type { EventValues, ItemValues } from '#lib/event/form/event-values.ts';

type StartValues = Pick<EventValues, 'category' | 'visibility' | 'coverTheme' | 'modules' | 'items'>;

export type TemplateStart = { slug: string; name: string; emoji: string; values: StartValues };

/**
 * The fields of the form after the choice of another template. What the organizer has changed stays; only what the form
 * has from the template before is replaced, so that each choice can be taken back.
 */
export function exchangeTemplate(entered: StartValues, from: StartValues, to: StartValues): StartValues {
  const choose = <Name extends 'category' | 'visibility' | 'coverTheme'>(name: Name) =>
    entered[name] === from[name] ? to[name] : entered[name];
  const own = entered.items.filter(
    (item) => item.title !== '' && !from.items.some((suggested) => isSameItem(item, suggested)),
  );
  return {
    category: choose('category'),
    visibility: choose('visibility'),
    coverTheme: choose('coverTheme'),
    modules: entered.modules.join() === from.modules.join() ? to.modules : entered.modules,
    items: [...own, ...to.items.filter((item) => !own.some(({ title }) => title === item.title))],
  };
}

const isSameItem = (a: ItemValues, b: ItemValues): boolean =>
  a.title === b.title && a.kind === b.kind && a.quantity === b.quantity && a.emoji === b.emoji;
