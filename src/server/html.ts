/** The markup of the pages. Everything that people wrote goes through `safe`. */
import type { catalogue } from '../lib/errors.ts';
import { dateIn, knownZone } from '../lib/time-zones.ts';
import type { ListedEvent } from '../modules/events/schemas.ts';

const safe = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const style = `
:root { color-scheme: light dark; --ink: #23201c; --soft: #6f675e; --paper: #fdfaf5; --card: #fff; --line: #e9e1d5; --accent: #b4491f }
@media (prefers-color-scheme: dark) { :root { --ink: #f0ebe3; --soft: #a89f94; --paper: #191714; --card: #23201c; --line: #3a352e; --accent: #f08a5d } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 68rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem }
h1 { font-size: clamp(2rem, 5vw, 3rem); line-height: 1.1; letter-spacing: -.02em; margin: 0 0 .5rem }
h2 { margin: 2.5rem 0 1rem; font-size: 1.25rem }
a { color: var(--accent) }
.lead { color: var(--soft); font-size: 1.125rem; max-width: 42rem; margin: 0 0 1.25rem }
.links a { display: inline-block; margin: 0 .5rem .5rem 0; padding: .5rem .9rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--card); text-decoration: none }
.events { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: 1.1rem; padding: 0; margin: 0; list-style: none }
.events li { background: var(--card); border: 1px solid var(--line); border-radius: .9rem; overflow: hidden }
.events img { display: block; width: 100%; aspect-ratio: 1200 / 630; object-fit: cover }
.events div { padding: .8rem 1rem 1rem }
.events h3 { margin: 0 0 .2rem; font-size: 1.05rem; line-height: 1.3; overflow-wrap: anywhere }
.events h3 a { color: inherit; text-decoration: none }
.events p { margin: 0; color: var(--soft); font-size: .9rem; overflow-wrap: anywhere }
dt { margin-top: 1.4rem; font-weight: 600 } dt:target { color: var(--accent) } dd { margin: .1rem 0 0; color: var(--soft) }
code { font-family: ui-monospace, monospace; font-size: .95em } .status { display: inline-block; min-width: 3rem; color: var(--soft) }
`;

export const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><text y=".9em" font-size="90">🥘</text></svg>';

const document = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>` +
  '<meta name="viewport" content="width=device-width, initial-scale=1">' +
  `<style>${style}</style></head><body><main>${body}</main></body></html>`;

/** The dates of an all-day event, both inclusive; the start of any other, and its end if that is on a later day. */
function when({ startAt, endAt, allDay, timezone }: ListedEvent): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: knownZone(timezone),
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(!allDay && { hour: '2-digit', minute: '2-digit' }),
  });
  const [start, end] = [new Date(startAt), new Date(endAt)];
  // An event that ends at midnight does not take the day that begins then.
  const last = new Date(end.getTime() - 1);
  const isOneDay = dateIn(start, timezone).equals(dateIn(last, timezone));
  return isOneDay ? format.format(start) : format.formatRange(start, allDay ? last : end);
}

/** Null if the price is not known. */
const money = ({ price, isPriceKnown, currency }: ListedEvent): string | null =>
  price === 0
    ? isPriceKnown
      ? 'free'
      : null
    : new Intl.NumberFormat('en-GB', {
        style: 'currency',
        currency,
        trailingZeroDisplay: 'stripIfInteger',
      }).format(price);

const facts = (event: ListedEvent): string =>
  [when(event), money(event), `${event.goingCount} going`].filter((fact) => fact !== null).join(' · ');

/** Only covers that we draw: with those of others, a page that anybody may open would tell their hosts who does. */
const card = (event: ListedEvent): string =>
  `<li><img src="/v1/events/${event.id}/cover.svg?category=${event.category.slug}" alt="" loading="lazy">` +
  `<div><h3><a href="/v1/events/${event.id}">${safe(event.title)}</a></h3>` +
  `<p>${safe(facts(event))}</p>` +
  `<p>${safe(event.location.address)}</p></div></li>`;

/** @param accounts demo accounts to sign in with, if there are any */
export function frontPage(
  events: ListedEvent[],
  total: number,
  accounts: { who: string; phone: string }[],
): string {
  const signIn = accounts.map(({ who, phone }) => `<code>${phone}</code> (${who})`).join(', ');
  const list =
    events.length > 0
      ? `<h2>Now and next${total > events.length ? ` (${events.length} of ${total})` : ''}</h2><ul class="events">${events.map(card).join('')}</ul>`
      : '<h2>Nothing is planned yet</h2><p class="lead">The first event is one request away: the API reference shows how.</p>';
  return document(
    'Potluck',
    '<h1>🥘 Potluck</h1><p class="lead">Discover events, answer them, and share bring-lists that cannot be double-booked.</p>' +
      '<p class="links"><a href="/docs/">API reference</a><a href="/openapi.json">OpenAPI document</a>' +
      `<a href="/docs/errors">Errors</a><a href="/v1/events">Events as JSON</a></p>` +
      (signIn && `<p class="lead">Try it out: sign in as ${signIn}. The answer carries the code.</p>`) +
      list,
  );
}

export function errorsPage(entries: typeof catalogue): string {
  const rows = Object.entries(entries).map(
    ([code, { status, title, detail }]) =>
      `<dt id="${code}"><span class="status">${status}</span> <code>${code}</code></dt>` +
      `<dd>${safe(title)}. ${safe(detail).replace(/`([^`]+)`/g, '<code>$1</code>')}</dd>`,
  );
  return document(
    'Potluck: errors',
    '<h1>Errors</h1><p class="lead">Every refusal is an <code>application/problem+json</code>; its <code>code</code> is one of ' +
      'these and keeps its meaning. Where a field is at fault, <code>errors</code> names it by its <code>path</code>. ' +
      `<a href="/">Home</a> · <a href="/docs/">API reference</a></p><dl>${rows.join('')}</dl>`,
  );
}
