import { hasBit } from '../../../lib/bitmap.ts';
import { type Box, isInBox } from '../../../lib/coordinates.ts';
import { type Cap, isPointInCap } from '../../../lib/sphere.ts';
import type { FilteredEvent } from '../filters.ts';
import type { Segment, SegmentData } from './segment.ts';

/**
 * A document of a segment, as filters read it. It moves from document to document, so that a search allocates no memory,
 * and reads only the columns that its filters need: most documents are not in a CPU cache.
 */
export class DocumentView implements FilteredEvent {
  readonly #data: SegmentData;
  /** The first document that starts after `from`. */
  readonly #begun: number;
  #doc = 0;

  /** @param from what the ends are compared with */
  constructor(segment: Segment, from: Date | null) {
    this.#data = segment.data;
    this.#begun = from ? segment.startingAfter(from.getTime()) : 0;
  }

  moveTo(doc: number): this {
    this.#doc = doc;
    return this;
  }

  get start(): number {
    return this.#data.starts[this.#doc] as number;
  }

  /** Infinity for an event that starts after `from`: its end needs no read. */
  get end(): number {
    return this.#doc >= this.#begun ? Number.POSITIVE_INFINITY : (this.#data.ends[this.#doc] as number);
  }

  get category(): string {
    return this.#data.categoryNames[this.#data.categories[this.#doc] as number] as string;
  }

  get isFree(): boolean {
    return hasBit(this.#data.free, this.#doc);
  }

  get organizerId(): number {
    return this.#data.organizerOfDoc[this.#doc] as number;
  }

  isInBox(box: Box): boolean {
    const { coordinates, cellPlaces } = this.#data;
    const at = 2 * (cellPlaces[this.#doc] as number);
    return isInBox(box, coordinates[at] as number, coordinates[at + 1] as number);
  }

  isInCap(cap: Cap): boolean {
    return isPointInCap(cap, this.#data.points, this.#data.cellPlaces[this.#doc] as number);
  }
}
