/**
 * The uploads that a server receives or processes, and the limits on them. A slow client holds memory for the
 * bytes that it has sent, and a place among the uploads of its own person and network, but no place that
 * other clients need.
 */
import { shareOf } from '#base';
import { Problem } from '../../lib/errors.ts';

/**
 * Maximum number of concurrent uploads of one person: the number of connections that browsers open to a host.
 */
export const maxUploadsPerPerson = shareOf(6);
/** Maximum number of concurrent uploads from one client network: many people can share an address. */
export const maxUploadsPerNetwork = shareOf(24);
/** Maximum memory for all bodies, in bytes. */
const maxBufferedBytes = shareOf(160 * 1024 ** 2);

/** An upload. `end` ends it with an error; null unless its body is being received. */
export type OpenUpload = {
  readonly userId: string;
  readonly network: string;
  /** The memory for its body. */
  bytes: number;
  end: ((problem: Problem) => void) | null;
};

/**
 * Limits concurrent uploads. Where a limit is reached that people share, the person who holds the most gives
 * way: one of their incomplete uploads is ended.
 */
export class OpenUploads {
  readonly #maxBufferedBytes: number;
  readonly #uploads = new Set<OpenUpload>();
  #bytes = 0;

  constructor({ maxBytes = maxBufferedBytes } = {}) {
    this.#maxBufferedBytes = maxBytes;
  }

  /**
   * Adds an upload, which `close` removes.
   * @throws Problem `too_many_requests`
   */
  open(userId: string, network: string): OpenUpload {
    const uploads = [...this.#uploads];
    const own = uploads.filter((upload) => upload.userId === userId);
    if (own.length >= maxUploadsPerPerson) throw tooManyOfPerson();
    const neighbours = uploads.filter((upload) => upload.network === network);
    if (neighbours.length >= maxUploadsPerNetwork) {
      const largest = findLargestShare(neighbours, () => 1);
      const ownHere = neighbours.filter((upload) => upload.userId === userId).length;
      if (!largest || largest.size <= ownHere + 1) throw tooManyOfNetwork();
      this.#end(largest.uploads, tooManyOfNetwork());
    }
    const upload: OpenUpload = { userId, network, bytes: 0, end: null };
    this.#uploads.add(upload);
    return upload;
  }

  /**
   * Adds memory to an upload. If the memory of all uploads is used up, this ends uploads, perhaps this one.
   */
  grow(upload: OpenUpload, bytes: number): void {
    upload.bytes += bytes;
    this.#bytes += bytes;
    while (this.#bytes > this.#maxBufferedBytes) {
      const largest = findLargestShare([...this.#uploads], (each) => each.bytes);
      if (!largest) return;
      this.#end(largest.uploads, new Problem('unavailable', { retryAfter: 5 }));
    }
  }

  close(upload: OpenUpload): void {
    if (!this.#uploads.delete(upload)) return;
    this.#bytes -= upload.bytes;
  }

  /** Ends the incomplete upload with the most memory. */
  #end(uploads: OpenUpload[], problem: Problem): void {
    const [upload] = uploads.filter(({ end }) => end !== null).sort((a, b) => b.bytes - a.bytes);
    const end = upload?.end;
    if (!upload || !end) return;
    this.close(upload);
    end(problem);
  }
}

/**
 * Returns the uploads of the person with the largest share, of those with an incomplete upload; null if there are none.
 */
function findLargestShare(uploads: OpenUpload[], sizeOf: (upload: OpenUpload) => number) {
  let largest: { uploads: OpenUpload[]; size: number } | null = null;
  for (const own of Map.groupBy(uploads, ({ userId }) => userId).values()) {
    const size = own.reduce((sum, upload) => sum + sizeOf(upload), 0);
    if (own.some(({ end }) => end !== null) && size > (largest?.size ?? -1)) largest = { uploads: own, size };
  }
  return largest;
}

const tooManyOfPerson = () =>
  new Problem('too_many_requests', {
    detail: `At most ${maxUploadsPerPerson} uploads of one person run at the same time.`,
    retryAfter: 2,
  });

const tooManyOfNetwork = () =>
  new Problem('too_many_requests', {
    detail: `At most ${maxUploadsPerNetwork} uploads from one address run at the same time.`,
    retryAfter: 2,
  });
