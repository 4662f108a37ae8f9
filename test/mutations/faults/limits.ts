/** Faults of limits on requests, and of the client. */
import { type Fault, faultsOf } from '../fault.ts';

export const limitFaults: Fault[] = [
  ...faultsOf('packages/admission/shared-counts.ts', [
    [
      'if (remaining < 0) return',
      'if (false) return',
      'packages/admission/shared-counts',
      'requests without a limit',
    ],
    [
      'count.unreported + count.reporting < this.#maxUnreported',
      'true',
      'packages/admission/shared-counts',
      'each server has its own limit',
    ],
    [
      'byCaller.get(caller) ?? count.total',
      'count.total',
      'packages/admission/shared-counts',
      'each server has its own limit',
    ],
  ]),
  ...faultsOf('src/cli/serve/worker-slot.ts', [
    [
      'Math.min(firstPauseMs * 2 ** (ends - 2), maxPauseMs)',
      '0',
      'src/cli/serve/worker-slot',
      'a process that ends at once is started again without an end',
    ],
  ]),
  ...faultsOf('packages/base/process-share.ts', [
    [
      'Math.ceil(limit / processes)',
      'limit',
      'src/lib/process-share',
      'each process has the limits of a server',
    ],
  ]),
  ...faultsOf('src/http/rate-limit.ts', [
    ['if (remaining >= 0) return;', 'return;', 'limits', 'requests without a limit'],
    [
      'if (counted.remaining < 0) break;',
      '',
      'limits',
      'refused requests use up the limit of other networks',
    ],
  ]),
  ...faultsOf('packages/admission/open-requests.ts', [
    [
      "return this.isBusy && this.#isFullFor(load) ? 'busy' : null;",
      'return null;',
      'backpressure',
      'an overloaded server accepts everything',
    ],
    [
      "if (load.unread >= unreadPerNetwork) return 'unread';",
      '',
      'backpressure',
      'unread responses fill the memory',
    ],
  ]),
  ...faultsOf('src/http/admission.ts', [
    [
      'refusal === null || monitoringPaths.has(url)',
      'refusal === null',
      'backpressure',
      'monitoring reports an overloaded server as down',
    ],
    ['leastPauseMs: 20', 'leastPauseMs: 0', 'src/http/turns', 'documents leave no time to others'],
    [
      'isPageCall() || isLong ? 0 : 3',
      '3',
      'src/http/turns',
      'the many requests of a page leave no time to others',
    ],
    ['> longBody', '> 1e9', 'src/http/turns', 'many long bodies of a network are read at the same time'],
  ]),
  ...faultsOf('src/modules/accounts/export/export-account.ts', [
    [
      'if (bytes > maxSmallBytes) return TOO_LARGE;',
      '',
      'large-export',
      'a server keeps an export of any size in memory',
    ],
  ]),
  ...faultsOf('src/modules/accounts/export/open-stream.ts', [
    ['await closed.promise;', '', 'large-export', 'any number of exports keep a connection to the database'],
  ]),
  ...faultsOf('packages/admission/turns.ts', [
    [
      'if (queue.taken + places > atOnce) return false;',
      '',
      'src/http/turns',
      'one network occupies the server',
    ],
    [
      'if (pauseMs === 0) release();',
      'release();\n      if (true) return;',
      'src/http/turns',
      'a network leaves no time to others',
    ],
  ]),
  ...faultsOf('src/quotas/daily-quotas.ts', [
    ['c.used + excluded.used <= ${max}', 'c.used <= ${max}', 'quotas', 'one creation too many'],
    ['if (added <= max &&', 'if (', 'quotas', 'a first request above the quota'],
    [
      'when c.day < excluded.day then 0',
      'when c.day < excluded.day then c.used',
      'quotas',
      'the quota of a day lasts forever',
    ],
  ]),
  ...faultsOf('src/modules/uploads/open-uploads.ts', [
    [
      'own.length >= maxUploadsPerPerson',
      'false',
      'src/modules/uploads/open-uploads',
      'a person occupies all uploads',
    ],
    [
      'neighbours.length >= maxUploadsPerNetwork',
      'false',
      'src/modules/uploads/open-uploads',
      'a network occupies all uploads',
    ],
    [
      'this.#bytes > this.#maxBufferedBytes',
      'false',
      'src/modules/uploads/open-uploads',
      'bodies fill the memory',
    ],
  ]),
  ...faultsOf('src/modules/uploads/images.ts', [
    [
      'width * height * channels * (bits / 8) > maxDecodedBytes',
      'false',
      'uploads',
      'a small file decodes to 400 MB',
    ],
  ]),
  ...faultsOf('src/modules/uploads/create-upload.ts', [
    [
      "error.code === 'image_invalid'",
      'false',
      'converter',
      'a person sends any number of images that cannot be converted',
    ],
  ]),
  ...faultsOf('src/modules/uploads/receive-body.ts', [
    [
      'if (length + chunk.length > maxBodyBytes)',
      'if (false)',
      'src/modules/uploads/receive-body',
      'a body without a declared length',
    ],
  ]),
  ...faultsOf('src/modules/live/streams.ts', [
    [
      '?? 0) < limits[kind]) continue;',
      '?? 0) < Infinity) continue;',
      'live-access',
      'streams without a limit',
    ],
  ]),
  ...faultsOf('packages/pg/batching.ts', [
    [
      'if (queue.size >= maxWaiting) return Promise.reject(new Unavailable());',
      '',
      'packages/pg/batching',
      'waiting requests fill the memory',
    ],
  ]),
  ...faultsOf('packages/base/fair-queue.ts', [
    [
      'this.#waiting >= maxWaiting || queue.length >= maxWaitingPerClient',
      'false',
      'src/lib/fair-queue',
      'waiting requests fill the memory',
    ],
    [
      'this.#moveBehind(client);\n      this.#startNext();',
      'this.#startNext();',
      'converter',
      'the next image of a person comes before one of another person',
    ],
  ]),
  ...faultsOf('client/src/session.ts', [
    [
      'this.#renewal ??= this',
      'this.#renewal = this',
      'client/test/session',
      'each request waits for a renewal of its own',
    ],
    [
      'if (tokens?.accessToken !== rejected) return tokens?.accessToken;',
      '',
      'client/test/session',
      'a renewed token is renewed again',
    ],
    [
      'storage.lock ? storage.lock(work) : work()',
      'work()',
      'client/test/session',
      'two tabs use one refresh token',
    ],
    [
      'this.#lastChange.then(() =>',
      'Promise.resolve().then(() =>',
      'client/test/session',
      'a refresh overwrites the tokens of a sign-in',
    ],
    [
      "if (!isProblem(error, 'refresh_token_invalid', 'invalid_request')) throw error;",
      '',
      'client/test/session',
      'an outage signs people out',
    ],
  ]),
  ...faultsOf('client/src/renewal.ts', [
    [
      'if (response.status !== 401) return response;',
      'return response;',
      'client/test/session',
      'an expired token signs people out',
    ],
  ]),
  ...faultsOf('client/src/retry.ts', [
    ['if (!mayRepeat(request)) return send(request);', '', 'client/test/requests', 'a write is sent twice'],
    ["headers.has('idempotency-key')", 'false', 'client/test/requests', 'a write with a key is not repeated'],
  ]),
];
