/**
 * Finds the documents of a segment that match a query: each filter is a range or a bitmap, and the result is their
 * intersection. A filter that the segment has as a bitmap is neither copied nor counted again.
 */
import { type Bitmap, hasBit, intersectAll, RankedBitmap, subtract } from '#record-index';
import type { ListQuery } from '../event-query.ts';
import { type DocRange, listMatching, rangeOf } from '../filters.ts';
import type { BitmapPool } from './bitmap-pool.ts';
import { DocSet } from './doc-set.ts';
import { isGraded, WordSets } from './searched-words.ts';
import { type Fields, fieldsOfGrades, type Segment } from './segment.ts';

/** `grades`: the documents of each grade, the best first, each until the next one or the next search. */
export type Found = { total: number; grades: Iterable<DocSet> };

const noWords = { words: [], starts: [] };

export function searchSegment(segment: Segment, query: ListQuery, pool: BitmapPool): Found {
  if (query.search?.words.length === 0) return { total: 0, grades: [] };
  pool.reset();
  const range = rangeOf(segment, query);
  const words = new WordSets(segment, query.search ?? noWords, range.whole, pool);
  const anywhere = words.in('anywhere');
  const sets = listMatching(segment, query, range, anywhere, pool);
  const few = words.ofRareWord();
  if (few) {
    const running = new DocSet(range.running);
    const isInRange = (doc: number) => (doc >= range.first && doc < range.end) || running.has(doc);
    const docs = keep(few, sets).filter(isInRange);
    return { total: docs.length, grades: isGraded(query) ? gradeFew(docs, words) : [new DocSet(docs)] };
  }
  const all = select(segment, range, sets, pool);
  /** The documents that have all words in some fields. */
  const find = (fields: Fields) => {
    if (fields === 'anywhere') return all;
    const filters = sets === anywhere || !all.rest ? [] : [all.rest.bits];
    return select(segment, { ...range, running: all.few }, [...filters, ...words.in(fields)], pool);
  };
  return { total: all.size, grades: isGraded(query) ? gradeMany(find, range, pool) : [all] };
}

function* gradeFew(docs: number[], words: WordSets): Generator<DocSet> {
  let left = docs;
  for (const fields of fieldsOfGrades) {
    const found = keep(left, words.in(fields));
    const known = new DocSet(found);
    yield known;
    if (known.size > 0) left = left.filter((doc) => !known.has(doc));
  }
}

function* gradeMany(find: (fields: Fields) => DocSet, range: DocRange, pool: BitmapPool): Generator<DocSet> {
  let better: DocSet | null = null;
  for (const fields of fieldsOfGrades) {
    const found = find(fields);
    yield better ? without(found, better, range, pool) : found;
    better = found;
  }
}

/** The documents that are in all sets. */
const keep = (docs: number[], sets: Bitmap[]): number[] =>
  sets.reduce((left, bits) => left.filter((doc) => hasBit(bits, doc)), docs);

function select(segment: Segment, range: DocRange, filters: Bitmap[], pool: BitmapPool): DocSet {
  const sets = filters.length > 0 ? filters : [segment.current];
  const bits = intersectAll(sets, range.whole, pool.take());
  return new DocSet(keep(range.running, sets), new RankedBitmap(bits, range, segment.countsOf(bits)));
}

/** @param better a subset of the documents, which is left out */
function without({ few, rest }: DocSet, better: DocSet, range: DocRange, pool: BitmapPool): DocSet {
  const left = few.filter((doc) => !better.has(doc));
  if (!rest || !better.rest?.size) return new DocSet(left, rest);
  return new DocSet(left, new RankedBitmap(subtract(rest.bits, better.rest.bits, range, pool.take()), range));
}
