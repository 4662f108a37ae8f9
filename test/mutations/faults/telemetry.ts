/** Faults of the export of telemetry. */
import { type Fault, faultsOf } from '../fault.ts';

export const telemetryFaults: Fault[] = [
  ...faultsOf('src/telemetry/log-lines.ts', [
    [
      'isExported = !(',
      'isExported = !!(',
      'src/telemetry/log-lines',
      'a code that the log alone may show is exported',
    ],
  ]),
  ...faultsOf('src/telemetry/span.ts', [
    [
      'tracer && parent?.isRecording ?',
      'tracer && parent ?',
      'src/telemetry/span',
      'a timer adds to a trace for ever',
    ],
    [
      'if (!parent) return tracer.enter(served[0]?.span, work);',
      'if (!parent) return work();',
      'src/telemetry/span',
      'a batch is recorded for a request that is none of its own',
    ],
    ['other.link(batch);', '', 'src/db/batch-spans', 'a request does not lead to its batch'],
  ]),
  ...faultsOf('src/telemetry/traceparent.ts', [
    ["version === 'ff'", 'false', 'src/telemetry/traceparent', 'a header of an invalid version is taken'],
  ]),
  ...faultsOf('src/telemetry/export/export-queue.ts', [
    [
      'this.#items.length < maxQueued',
      'true',
      'src/telemetry/export/export-queue',
      'a collector that is down takes all memory',
    ],
    [
      '|| performance.now() < this.#pausedUntil',
      '',
      'src/telemetry/export/export-queue',
      'a collector that is down gets requests without a pause',
    ],
  ]),
  ...faultsOf('src/telemetry/export/tracer.ts', [
    [
      'parent && followsParent ?',
      'parent ?',
      'src/telemetry/span',
      'clients decide although the server shall',
    ],
  ]),
  ...faultsOf('src/http/tracing.ts', [
    [
      "  app.addHook('preHandler', (request, _reply, done) => enter(request, done));\n",
      '',
      'test/telemetry/traces',
      'a request that waits for its turn runs in the trace of another',
    ],
    [
      'parent: outer ?? parseTraceparent(headers.traceparent)',
      'parent: parseTraceparent(headers.traceparent)',
      'test/telemetry/traces',
      'the calls of a page are traces of their own',
    ],
  ]),
  ...faultsOf('src/telemetry/request-span.ts', [
    ['new URL(url).hostname', '`${url}`', 'test/telemetry/outgoing', 'keys in addresses are exported'],
  ]),
];
