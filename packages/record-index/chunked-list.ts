/** A list of unsigned integers of 32 bits that grows without copying, outside the heap of V8. */

const bitsPerChunk = 16;
const chunkLength = 1 << bitsPerChunk;

export class ChunkedList {
  readonly #chunks: Uint32Array<ArrayBuffer>[] = [];
  /** The chunks before have been dropped. */
  #first = 0;
  length = 0;

  push(value: number): void {
    const index = this.length++ & (chunkLength - 1);
    if (index === 0) this.#chunks.push(new Uint32Array(chunkLength));
    (this.#chunks[this.#chunks.length - 1] as Uint32Array)[index] = value;
  }

  at(i: number): number {
    return (this.#chunks[i >>> bitsPerChunk] as Uint32Array)[i & (chunkLength - 1)] as number;
  }

  /** Gives back memory at once: the elements before `end` cannot be read any more. */
  drop(end: number): void {
    while (this.#first < end >>> bitsPerChunk) this.#chunks[this.#first++]?.buffer.transfer(0);
  }
}
