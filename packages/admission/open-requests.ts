/**
 * Which requests a server accepts, and for how long it serves each. A request runs until its handler has responded, and holds
 * one of the server's places meanwhile. After that its client reads the response, which may take long and holds no place.
 *
 * - Shedding: while too many requests run, a network that holds many places is refused further ones.
 * - The timeout: a request whose handler does not respond in time is answered in its place.
 * - Unread responses: a client that reads nothing of a response loses its connection, and a network with many unread
 *   responses is refused: each of them holds a connection, a buffer and possibly an open file. A client that keeps reading,
 *   however slowly, keeps its response.
 */
import { assertTransition, largestNetworkOf, patient, type Transitions } from '#base';

/** What the requests of one client network, the largest one of an address, hold. */
export type NetworkLoad = {
  /** Requests that are not complete. */
  requests: number;
  /** Requests that run. */
  places: number;
  /** Responses that clients are slow to read, streams excepted. */
  unread: number;
};

/**
 * `running`: the handler has not responded. `delivering`: it has, or its time is over, and the client reads the response.
 * `streaming`: the response stays open as long as its client listens. `complete`: the request is no longer counted.
 */
export type RequestState = 'running' | 'delivering' | 'streaming' | 'complete';

const transitions: Transitions<RequestState> = {
  running: ['delivering', 'streaming'],
  delivering: ['complete'],
  streaming: ['complete'],
  complete: [],
};

/** `since`: the time at which the last change of `progress` was seen, in ms of `performance.now`. */
type Delivery = { progress: number; since: number; isUnread: boolean };

/** @typeParam T what the transport knows a request by */
export class OpenRequest<T> {
  readonly of: T;
  readonly network: NetworkLoad;
  /** The time of arrival in ms of `performance.now`. */
  readonly since = performance.now();
  /** The index among the open requests. */
  readonly index: number;
  /** How the client reads the response; null until the second phase was seen. */
  delivery: Delivery | null = null;
  /** Runs once, when the request runs no longer. */
  onAnswer: (() => void) | null = null;
  /** Whether the response is a stream, or was one. */
  isStream = false;
  #state: RequestState = 'running';

  constructor(of: T, network: NetworkLoad, index: number) {
    this.of = of;
    this.network = network;
    this.index = index;
  }

  get state(): RequestState {
    return this.#state;
  }

  /** @throws Error for a state that does not follow the present one */
  enter(state: RequestState): void {
    assertTransition(transitions, this.#state, state);
    this.#state = state;
    if (state === 'streaming') this.isStream = true;
  }
}

/** What the open requests ask of the connections, and have them do. */
export type Transport<T> = {
  /** How long the handler may run in ms; undefined for the default. */
  timeoutOf(request: T): number | undefined;
  /** Responds in place of a handler that has run too long. */
  timeOut(request: T): void;
  /** A number that changes whenever the connection sends bytes; null if the connection is closed. */
  progressOf(request: T): number | null;
  /** Whether the connection has sent all bytes that were written. */
  isIdle(request: T): boolean;
  /** The connection, which several requests may share. */
  connectionOf(request: T): object;
  /** Closes the connection of a response that its client does not read. */
  disconnect(request: OpenRequest<T>): void;
};

export type Limits = {
  /** The running requests that the server accepts from any network. */
  shared: number;
  /** Further places, for networks that hold few. */
  reserved: number;
  unreadPerNetwork: number;
  /** The time limit of a handler, unless the transport names another. */
  timeoutMs: number;
  /** The time that a client may read nothing of a response. */
  stallTimeoutMs: number;
};

/** Networks in memory above which those without requests are removed. */
const maxIdleNetworks = 1_000;

/**
 * A list with reused indexes instead of a Map: a Map that grows and shrinks with every request retains its
 * old hash tables until a full garbage collection. For the same reason, the counts of a network remain after
 * its last request, until many networks have none.
 */
export class OpenRequests<T> implements Iterable<OpenRequest<T>> {
  readonly #transport: Transport<T>;
  readonly #limits: Limits;
  readonly #requests: (OpenRequest<T> | null)[] = [];
  readonly #freeIndexes: number[] = [];
  #networks = new Map<string, NetworkLoad>();
  #places = 0;
  #unread = 0;

  constructor(transport: Transport<T>, limits: Limits) {
    this.#transport = transport;
    this.#limits = limits;
  }

  /** The number of requests that are not complete. */
  get count(): number {
    return this.#requests.length - this.#freeIndexes.length;
  }

  /** Below this number of running requests, no network can exceed its share. */
  get isBusy(): boolean {
    return this.#places >= this.#limits.shared;
  }

  *[Symbol.iterator](): Generator<OpenRequest<T>> {
    for (const request of this.#requests) if (request) yield request;
  }

  /** Why a further request of an address is refused: `unread` responses, or a `busy` server; null if it is accepted. */
  refusalFor(address: string): 'unread' | 'busy' | null {
    const { unreadPerNetwork } = this.#limits;
    if (this.#unread < unreadPerNetwork && !this.isBusy) return null;
    const load = this.#loadOf(address);
    if (load.unread >= unreadPerNetwork) return 'unread';
    return this.isBusy && this.#isFullFor(load) ? 'busy' : null;
  }

  /**
   * A network may hold this many places for each place that is free. With 800 shared and 100 reserved places, one network
   * gets at most 800, two get 423 each, ten get 88 each. However many networks share the places, some remain for a network
   * that holds none.
   */
  #isFullFor({ places }: NetworkLoad): boolean {
    const { shared, reserved } = this.#limits;
    return places >= (shared / reserved) * (shared + reserved - this.#places);
  }

  /** The counts of the largest network of an address. */
  #loadOf(address: string): NetworkLoad {
    return this.#networks.getOrInsertComputed(largestNetworkOf(address), () => ({
      requests: 0,
      places: 0,
      unread: 0,
    }));
  }

  add(of: T, address: string): OpenRequest<T> {
    const network = this.#loadOf(address);
    const request = new OpenRequest(of, network, this.#freeIndexes.pop() ?? this.#requests.length);
    this.#requests[request.index] = request;
    network.requests++;
    network.places++;
    this.#places++;
    return request;
  }

  /** Releases the place of a request that runs. May be called repeatedly. */
  answer(request: OpenRequest<T>, state: 'delivering' | 'streaming' = 'delivering'): void {
    if (request.state !== 'running') return;
    request.enter(state);
    request.network.places--;
    this.#places--;
    request.onAnswer?.();
  }

  /** Removes a request. May be called repeatedly. */
  complete(request: OpenRequest<T>): void {
    if (request.state === 'complete') return;
    this.answer(request);
    request.enter('complete');
    const { network, index, delivery } = request;
    network.requests--;
    if (delivery?.isUnread) {
      network.unread--;
      this.#unread--;
    }
    this.#requests[index] = null;
    this.#freeIndexes.push(index);
  }

  /** Ends what takes too long. To be called a few times in a second. */
  check(): void {
    const now = performance.now();
    for (const request of this) {
      if (request.state !== 'running') this.#checkDelivery(request, now);
      else if (this.#isLate(request, now)) {
        this.answer(request);
        this.#transport.timeOut(request.of);
      }
    }
    if (this.#networks.size <= maxIdleNetworks) return;
    this.#networks = new Map([...this.#networks].filter(([, { requests }]) => requests > 0));
  }

  /** The time that the client takes to read the response does not count. */
  #isLate({ since, of }: OpenRequest<T>, now: number): boolean {
    const { timeoutMs } = this.#limits;
    const elapsed = now - since;
    return elapsed >= patient(timeoutMs) && elapsed >= patient(this.#transport.timeoutOf(of) ?? timeoutMs);
  }

  /** A response counts as unread when it is seen for the second time; most are complete long before. */
  #checkDelivery(request: OpenRequest<T>, now: number): void {
    const progress = this.#transport.progressOf(request.of);
    if (progress === null) {
      this.complete(request);
      return;
    }
    const { delivery, network, state } = request;
    if (!delivery) {
      request.delivery = { progress, since: now, isUnread: false };
      return;
    }
    // A stream without unsent bytes waits for its next message. Any other response without progress is stalled, also if
    // its source gives no bytes.
    const isWaiting = state === 'streaming' && this.#transport.isIdle(request.of);
    if (isWaiting || delivery.progress !== progress) Object.assign(delivery, { progress, since: now });
    if (state !== 'streaming' && !delivery.isUnread) {
      delivery.isUnread = true;
      network.unread++;
      this.#unread++;
    }
    const isStalled = now - delivery.since >= this.#limits.stallTimeoutMs;
    const isExcess = delivery.isUnread && network.unread > this.#limits.unreadPerNetwork;
    if (!isStalled && !isExcess) return;
    const { connectionOf, disconnect } = this.#transport;
    disconnect(request);
    this.complete(request);
    if (!isExcess) return;
    // The other responses of the connection are no reason to close the next one of the network.
    const connection = connectionOf(request.of);
    for (const other of this) if (connectionOf(other.of) === connection) this.complete(other);
  }
}
