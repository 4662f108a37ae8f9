/** Draws the previews of links one at a time, and keeps the latest ones in memory. */
import { LRUCache } from 'lru-cache';
import { FairQueue, shareOf, Unavailable } from '#base';
import { drawPreview, type Preview } from './draw-preview.ts';

/** In bytes. A preview has about 100 kB. */
const maxBytes = shareOf(8 * 1024 * 1024);

type Image = Buffer<ArrayBuffer>;

export class Previews {
  readonly #images = new LRUCache<string, Image>({
    maxSize: maxBytes,
    sizeCalculation: ({ length }) => length,
  });
  /** A drawing takes about 100 ms. Client networks take turns. */
  readonly #drawings = new FairQueue({
    concurrency: 1,
    maxWaitingPerClient: 20,
    maxWaiting: 200,
    timeoutMs: 5_000,
  });

  /**
   * Finds a preview by its version, or draws it in the turn of a client network.
   * @param read is called if the preview must be drawn
   * @returns null if too many drawings wait, or if this one has waited too long
   */
  async find(network: string, version: string, read: () => Promise<Preview>): Promise<Image | null> {
    const image = this.#images.get(version);
    if (image) return image;
    try {
      return await this.#drawings.run(
        network,
        async () => this.#images.get(version) ?? this.#draw(version, read),
      );
    } catch (error) {
      if (error instanceof Unavailable) return null;
      throw error;
    }
  }

  async #draw(version: string, read: () => Promise<Preview>): Promise<Image> {
    const image = await drawPreview(await read());
    this.#images.set(version, image);
    return image;
  }
}
