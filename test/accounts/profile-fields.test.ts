/** Each field of the own profile: changes, versions and the export. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { profileFields } from '../operations/profile-fields.ts';
import { createUser } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const { token } = await createUser(api);

const read = async () => expectStatus(await api.get('/v1/auth/me', token), 200);
const change = (field: string, value: unknown, headers = {}) =>
  api.call('PATCH', '/v1/me', { token, body: { [field]: value }, headers });
/** Usernames are stored in lower case, and texts without the spaces around them. */
const stored = (value: unknown) => (typeof value === 'string' ? value.trim().toLowerCase() : value);

for (const [field, { rule, initial }] of Object.entries(profileFields))
  test(`${field}: stored, shown and exported as sent; 412 for the tag of another value; 400 for other values`, async () => {
    if (initial !== undefined) assert.deepEqual((await read()).body[field], initial);
    const tags: string[] = [];
    for (const value of rule.good) {
      expectStatus(await change(field, value), 200);
      const { body, headers } = await read();
      assert.deepEqual(stored(body[field]), stored(value));
      const { profile } = expectStatus(await api.get('/v1/me/export', token), 200).body;
      assert.deepEqual(profile[0][field], body[field]);
      tags.push(`${headers.get('etag')}`);
    }
    const [first] = tags;
    assert.notEqual(first, tags.at(-1));
    expectProblem(await change(field, rule.good[0], { 'if-match': first }), 412, 'precondition_failed');
    for (const value of rule.bad) {
      const { body } = expectProblem(await change(field, value), 400, 'invalid_request');
      assert.equal(body.errors[0].path, field);
    }
  });
