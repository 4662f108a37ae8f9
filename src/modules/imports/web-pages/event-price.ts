/** What an event of JSON-LD costs. */
import { type EntryPrice, toPrice } from '../entry-price.ts';
import { isNode, type Node, objectsOf, type References, textIn } from './json-ld.ts';

/** The lowest price of its offers; null if nothing says it. */
export function readEventPrice(
  node: Node,
  inherited: Node,
  references: References,
  notes: string[],
): EntryPrice | null {
  const isFree = node.isAccessibleForFree === true || /^true$/i.test(textIn(node, 'isAccessibleForFree'));
  if (isFree) return { price: 0, currency: null };
  const offers = objectsOf(node.offers ?? inherited.offers, references).filter(isNode);
  const prices = offers.flatMap((offer) => priceOf(offer) ?? []);
  const [first] = prices;
  if (!first) return null;
  const lowest = prices.reduce((a, b) => (b.price < a.price ? b : a), first);
  if (prices.some(({ price }) => price !== lowest.price))
    notes.push('has several prices; the lowest was imported');
  return lowest;
}

function priceOf(offer: Node): EntryPrice | null {
  const [specification] = objectsOf(offer.priceSpecification, new Map()).filter(isNode);
  const text =
    textIn(offer, 'price', 'lowPrice') || (specification ? textIn(specification, 'price', 'minPrice') : '');
  const currency =
    textIn(offer, 'priceCurrency') || (specification ? textIn(specification, 'priceCurrency') : '');
  const number = /^\d{1,12}(?:\.\d{1,10})?$/.test(text) ? Number(text) : Number.NaN;
  return toPrice(number, currency.toUpperCase() || null);
}
