/** The front page: the next public events, and links to the documentation. */
import { LRUCache } from 'lru-cache';
import { dateIn, knownZone } from '../../lib/time-zones.ts';
import type { ListedEvent } from '../../modules/events/schemas.ts';
import { escapeHtml, htmlDocument } from './layout.ts';

/**
 * The formats of the zones and currencies that were used last. A format takes 80 KB outside of the JavaScript heap, which
 * are freed late and all at once: with new formats for each request, a server under load held 1 GB, and its event loop
 * stood still for half a second to free them.
 */
const maxFormats = 100;

const periodFormats = new LRUCache<string, Intl.DateTimeFormat, { zone: string; allDay: boolean }>({
  max: maxFormats,
  memoMethod: (_key, _stale, { context: { zone, allDay } }) =>
    new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      weekday: 'short',
      day: 'numeric',
      month: 'short',
      ...(!allDay && { hour: '2-digit', minute: '2-digit' }),
    }),
});

const priceFormats = new LRUCache<string, Intl.NumberFormat>({
  max: maxFormats,
  memoMethod: (currency) =>
    new Intl.NumberFormat('en-GB', { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' }),
});

/** The inclusive dates of an all-day event; otherwise the start, and the end if it is on a later day. */
function formatPeriod({ startAt, endAt, allDay, timezone }: ListedEvent): string {
  const zone = knownZone(timezone);
  const format = periodFormats.memo(`${zone} ${allDay}`, { context: { zone, allDay } });
  const [start, end] = [new Date(startAt), new Date(endAt)];
  // The end is exclusive: an event that ends at midnight does not include the next day.
  const last = new Date(end.getTime() - 1);
  const isOneDay = dateIn(start, timezone).equals(dateIn(last, timezone));
  return isOneDay ? format.format(start) : format.formatRange(start, allDay ? last : end);
}

/** Null if the price is unknown. */
const formatPrice = ({ price, isPriceKnown, currency }: ListedEvent): string | null =>
  price === 0 ? (isPriceKnown ? 'free' : null) : priceFormats.memo(currency).format(price);

const formatFacts = (event: ListedEvent): string =>
  [formatPeriod(event), formatPrice(event), `${event.goingCount} going`]
    .filter((fact) => fact !== null)
    .join(' · ');

/** Shows the generated cover: an image on another server would reveal visitors' addresses to that server. */
const eventCard = (event: ListedEvent): string =>
  `<li><img src="/v1/events/${event.id}/cover.svg?category=${event.category.slug}" alt="" loading="lazy">` +
  `<div><h3><a href="/v1/events/${event.id}">${escapeHtml(event.title)}</a></h3>` +
  `<p>${escapeHtml(formatFacts(event))}</p>` +
  `<p>${escapeHtml(event.location.address)}</p></div></li>`;

/**
 * @param total the number of all upcoming events; `events` has the first of them
 * @param accounts the demo accounts; empty if the server has none
 */
export function frontPage(
  events: ListedEvent[],
  total: number,
  accounts: { who: string; phone: string }[],
): string {
  const signIn = accounts.map(({ who, phone }) => `<code>${phone}</code> (${who})`).join(', ');
  const list =
    events.length > 0
      ? `<h2>Now and next${total > events.length ? ` (${events.length} of ${total})` : ''}</h2><ul class="events">${events.map(eventCard).join('')}</ul>`
      : '<h2>Nothing is planned yet</h2><p class="lead">The first event is one request away: the API reference shows how.</p>';
  return htmlDocument(
    'Potluck',
    '<h1>🥘 Potluck</h1><p class="lead">Discover events, respond to them, and share bring-lists that cannot be double-booked.</p>' +
      '<p class="links"><a href="/docs/">API reference</a><a href="/openapi.json">OpenAPI document</a>' +
      `<a href="/docs/errors">Errors</a><a href="/v1/events">Events as JSON</a></p>` +
      (signIn && `<p class="lead">Try it out: sign in as ${signIn}. The response contains the code.</p>`) +
      list,
  );
}
