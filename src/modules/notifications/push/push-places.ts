/**
 * The places of pushes that are being sent. A push to a service that does not answer holds its place until the timeout,
 * and browsers name the services. So services that do not answer share few places, and leave the others free.
 */
import { LRUCache } from 'lru-cache';

/** For services that answered the latest push. */
const answeringPlaces = 16;
/** For all other services, among them those that no push was sent to yet; and for one of them. */
const otherPlaces = 4;
const placesOfOther = 2;

/** An answer that takes longer counts as none. */
const promptMs = 2_000;
const maxServices = 1_000;

/** `host`: of the push service. */
export type Candidate = { userId: string; host: string };

/** The pushes that have no place now. */
export type Excluded = {
  userIds: string[];
  /** If `isAllowed`, only these services have places; otherwise all services but these. */
  services: { hosts: string[]; isAllowed: boolean };
};

export class PushPlaces {
  readonly #answering = new LRUCache<string, true>({ max: maxServices });
  /** The service of the push that is being sent, by person. */
  readonly #taken = new Map<string, string>();

  /** @returns the pushes that get a place, at most one of each person */
  take<C extends Candidate>(candidates: C[]): C[] {
    return candidates.filter(({ userId, host }) => {
      const isTaken = !this.#taken.has(userId) && this.#hasPlace(host);
      if (isTaken) this.#taken.set(userId, host);
      return isTaken;
    });
  }

  free({ userId }: Pick<Candidate, 'userId'>): void {
    this.#taken.delete(userId);
  }

  /** Sends a push, and remembers whether its service answered in time. */
  async observe<T>(host: string, send: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    let hasAnswered = false;
    try {
      const response = await send();
      hasAnswered = performance.now() - startedAt <= promptMs;
      return response;
    } finally {
      if (hasAnswered) this.#answering.set(host, true);
      else this.#answering.delete(host);
    }
  }

  excluded(): Excluded {
    const others = this.#hosts().filter((host) => !this.#answering.has(host));
    const isFull = others.length >= otherPlaces;
    const hosts = isFull ? [...this.#answering.keys()] : others.filter((host) => !this.#hasPlace(host));
    return { userIds: [...this.#taken.keys()], services: { hosts, isAllowed: isFull } };
  }

  #hasPlace(host: string): boolean {
    const hosts = this.#hosts();
    const isAnswering = this.#answering.has(host);
    const alike = hosts.filter((each) => this.#answering.has(each) === isAnswering).length;
    if (isAnswering) return alike < answeringPlaces;
    return alike < otherPlaces && hosts.filter((each) => each === host).length < placesOfOther;
  }

  readonly #hosts = (): string[] => [...this.#taken.values()];
}
