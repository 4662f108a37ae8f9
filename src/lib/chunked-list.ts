/** A list of unsigned integers that grows without copying, outside the heap of V8. */

const bitsPerChunk = 16;
const chunkLength = 1 << bitsPerChunk;

export class ChunkedList<A extends Uint32Array | Uint8Array> {
  readonly #chunks: A[] = [];
  readonly #create: (length: number) => A;
  length = 0;

  constructor(create: (length: number) => A) {
    this.#create = create;
  }

  push(value: number): void {
    const index = this.length++ & (chunkLength - 1);
    if (index === 0) this.#chunks.push(this.#create(chunkLength));
    (this.#chunks[this.#chunks.length - 1] as A)[index] = value;
  }

  at(i: number): number {
    return (this.#chunks[i >>> bitsPerChunk] as A)[i & (chunkLength - 1)] as number;
  }

  get bytes(): number {
    const [first] = this.#chunks;
    return this.#chunks.length * chunkLength * (first?.BYTES_PER_ELEMENT ?? 0);
  }
}
