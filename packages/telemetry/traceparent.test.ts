import assert from 'node:assert/strict';
import test from 'node:test';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const ids = `${traceId}-${spanId}`;

test('traceparent: the ids, and whether the sender records the trace', () => {
  assert.deepEqual(parseTraceparent(`00-${ids}-01`), { traceId, spanId, isSampled: true });
  assert.deepEqual(parseTraceparent(`00-${ids}-00`), { traceId, spanId, isSampled: false });
  // Of the flags, only the last bit has this meaning.
  assert.equal(parseTraceparent(`00-${ids}-fe`)?.isSampled, false);
  assert.equal(parseTraceparent(`00-${ids}-03`)?.isSampled, true);
});

test('traceparent: a later version may have more fields', () => {
  for (const header of [`cc-${ids}-01`, `01-${ids}-01-more`, `fe-${ids}-01-`])
    assert.deepEqual(parseTraceparent(header), { traceId, spanId, isSampled: true }, header);
});

test('traceparent: malformed headers are ignored', () => {
  const zeros = '0'.repeat(32);
  for (const header of [
    undefined,
    '',
    ids,
    `00-${ids}`,
    `00-${ids}-01-more`,
    `00-${ids}-01-`,
    `ff-${ids}-01`,
    `0-${ids}-01`,
    `00-${ids}-1`,
    `00-${ids}-0g`,
    `00-${ids.toUpperCase()}-01`,
    `00-${zeros}-${spanId}-01`,
    `00-${traceId}-${zeros.slice(16)}-01`,
    `00-${traceId}0-${spanId}-01`,
    ` 00-${ids}-01`,
    `00-${ids}-01, 00-${ids}-01`,
    `00-${ids}-01.more`,
    `01-${ids}-01.more`,
  ])
    assert.equal(parseTraceparent(header), undefined, `${header}`);
});

test('traceparent: is written as it is read', () => {
  for (const header of [`00-${ids}-01`, `00-${ids}-00`]) {
    const context = parseTraceparent(header);
    assert.ok(context);
    assert.equal(formatTraceparent(context), header);
  }
});
