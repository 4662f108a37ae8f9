import type { FilteredEvent } from '../filters.ts';
import type { SegmentData } from './segment.ts';

/**
 * A document of a segment, as filters read it. It is moved from document to document, so a search allocates no memory, and
 * reads only the columns that its filters need: most documents are not in a CPU cache.
 */
export class DocumentView implements FilteredEvent {
  readonly #data: SegmentData;
  #doc = 0;
  /** The position in `cellDocs`; −1 if it is not known yet. */
  #place = -1;

  constructor(data: SegmentData) {
    this.#data = data;
  }

  moveTo(doc: number): this {
    this.#doc = doc;
    this.#place = -1;
    return this;
  }

  moveToPlace(place: number): this {
    this.#doc = this.#data.cellDocs[place] as number;
    this.#place = place;
    return this;
  }

  get doc(): number {
    return this.#doc;
  }

  get start(): number {
    return this.#data.starts[this.#doc] as number;
  }

  get end(): number {
    return this.#data.ends[this.#doc] as number;
  }

  get category(): string {
    return this.#data.categoryNames[this.#data.categories[this.#doc] as number] as string;
  }

  get isFree(): boolean {
    return hasBit(this.#data.free, this.#doc);
  }

  get organizerKey(): number {
    return this.#data.organizerOfDoc[this.#doc] as number;
  }
}
