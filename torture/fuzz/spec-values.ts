/** Generates bodies and queries from the hand-written rules: at their bounds, and just beyond them. */
import fc, { type Arbitrary } from 'fast-check';
import type { QueryRule } from '../../test/operations/operation.ts';
import type { ObjectRule, Rule } from '../../test/operations/rules.ts';

/** Without the values of which the state of the server decides whether one is good. */
const goodOf = (rules: Record<string, Rule>) =>
  Object.fromEntries(
    Object.entries(rules).flatMap(([name, { good }]) =>
      good.length > 0 ? [[name, fc.constantFrom(...good)]] : [],
    ),
  );

/** A valid body; one in three with one field replaced, left out or added. */
export function specBody({ required, optional }: ObjectRule): Arbitrary<unknown> {
  const requiredKeys = Object.keys(required);
  const all = { ...required, ...optional };
  const valid = fc.record<Record<string, unknown>>(goodOf(all), { requiredKeys });
  const [name, ...names] = Object.keys(all);
  if (name === undefined) return valid;
  const broken = fc
    .tuple(valid, fc.constantFrom(name, ...names))
    .chain(([body, field]) =>
      fc.constantFrom(...(all[field]?.bad ?? [])).map((value) => ({ ...body, [field]: value })),
    );
  const incomplete = fc.tuple(valid, fc.constantFrom(name, ...names)).map(([body, field]) => {
    const { [field]: _, ...rest } = body;
    return rest;
  });
  const surprising = valid.map((body) => ({ ...body, surprise: 1 }));
  return fc.oneof(
    { arbitrary: valid, weight: 6 },
    { arbitrary: broken, weight: 3 },
    { arbitrary: incomplete, weight: 1 },
    { arbitrary: surprising, weight: 1 },
  );
}

/** A query cannot contain unpaired surrogates. */
const toTexts = (values: readonly unknown[]): string[] =>
  values
    .filter((value) => typeof value !== 'object')
    .map(String)
    .filter((text) => text.isWellFormed());

/** A valid query; one in three with one parameter beyond its bounds. */
export function specQuery(query: Record<string, QueryRule>): Arbitrary<[string, string][]> {
  const texts = (values: 'good' | 'bad') =>
    Object.fromEntries(
      Object.entries(query).map(([name, { rule }]) => [name, fc.constantFrom(...toTexts(rule[values]))]),
    );
  const requiredKeys = Object.keys(query).filter((name) => query[name]?.isRequired);
  const valid = fc.record<Record<string, string>>(texts('good'), { requiredKeys });
  const names = Object.keys(query);
  const broken = fc
    .tuple(valid, fc.constantFrom(...names))
    .chain(([values, name]) =>
      (texts('bad')[name] as Arbitrary<string>).map((text) => ({ ...values, [name]: text })),
    );
  return fc
    .oneof({ arbitrary: valid, weight: 2 }, { arbitrary: broken, weight: 1 })
    .map((values) => Object.entries(values).map(([name, text]): [string, string] => [name, `${text}`]));
}
