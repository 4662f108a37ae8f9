/** Faults of the export of telemetry. */
import { type Fault, faultsOf } from '../fault.ts';

export const telemetryFaults: Fault[] = [
  ...faultsOf('packages/telemetry/log-lines.ts', [
    [
      'isExported = !(',
      'isExported = !!(',
      'packages/telemetry/log-lines',
      'a code that the log alone may show is exported',
    ],
  ]),
  ...faultsOf('packages/telemetry/span.ts', [
    [
      'tracer && parent?.isRecording ?',
      'tracer && parent ?',
      'packages/telemetry/span',
      'a timer adds to a trace for ever',
    ],
    [
      'if (!parent) return tracer.enter(served[0]?.span, work);',
      'if (!parent) return work();',
      'packages/telemetry/span',
      'a batch is recorded for a request that is none of its own',
    ],
    ['other.link(batch);', '', 'packages/pg/batch-spans', 'a request does not lead to its batch'],
  ]),
  ...faultsOf('packages/telemetry/traceparent.ts', [
    [
      "version === 'ff'",
      'false',
      'packages/telemetry/traceparent',
      'a header of an invalid version is taken',
    ],
  ]),
  ...faultsOf('packages/telemetry/export/export-queue.ts', [
    [
      'this.#items.length < maxQueued',
      'true',
      'packages/telemetry/export/export-queue',
      'a collector that is down takes all memory',
    ],
    [
      '|| performance.now() < this.#pausedUntil',
      '',
      'packages/telemetry/export/export-queue',
      'a collector that is down gets requests without a pause',
    ],
  ]),
  ...faultsOf('packages/telemetry/export/tracer.ts', [
    [
      'parent && followsParent ?',
      'parent ?',
      'packages/telemetry/span',
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
  ...faultsOf('packages/telemetry/request-span.ts', [
    ['new URL(url).hostname', '`${url}`', 'test/telemetry/outgoing', 'keys in addresses are exported'],
  ]),
];
