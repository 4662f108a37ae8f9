import assert from 'node:assert/strict';
import test from 'node:test';
import { Ajv } from 'ajv';
import { boundTexts } from './bounded-texts.ts';

/** Validates a text with a format that records what it reads. */
function createValidator(schema: object) {
  const read: string[] = [];
  const ajv = new Ajv({ allErrors: true });
  ajv.addFormat('recorded', (text) => {
    read.push(text);
    return !text.includes('x');
  });
  boundTexts(ajv);
  const validate = ajv.compile({ type: 'string', format: 'recorded', pattern: '^[^x]*$', ...schema });
  return (text: string) => {
    read.length = 0;
    validate(text);
    return { read: read.length, errors: (validate.errors ?? []).map(({ keyword }) => keyword) };
  };
}

test('validator: a text above maxLength has that error alone, and reaches no format and no pattern', () => {
  const validate = createValidator({ maxLength: 3 });
  assert.deepEqual(validate('abc'), { read: 1, errors: [] });
  assert.deepEqual(validate('abx'), { read: 1, errors: ['pattern', 'format'] });
  // Lengths are in code points.
  assert.deepEqual(validate('🥘🥘🥘'), { read: 1, errors: [] });
  for (const text of ['abcx', '🥘🥘🥘🥘', 'x'.repeat(1_000_000)])
    assert.deepEqual(validate(text), { read: 0, errors: ['maxLength'] });
});

test('validator: without maxLength, a format or a pattern refuses more than 300 characters unread', () => {
  const validate = createValidator({});
  assert.deepEqual(validate('a'.repeat(300)), { read: 1, errors: [] });
  assert.deepEqual(validate('a'.repeat(301)), { read: 0, errors: ['pattern', 'format'] });
});
