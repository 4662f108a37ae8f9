/** Texts of invalid fields: pages say in the visitor's language which rule a field violates. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { fieldRules } from '../../src/lib/errors.ts';
import { createUser, signInBrowser } from '../support/factories.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp({ pages: true });
const person = await createUser(api);
const cookie = await signInBrowser(api, person.phone);

test('fields: each rule has a text in each language', async () => {
  const file = new URL('../../web/messages/common.json', import.meta.url);
  const texts: Record<string, Record<string, string>> = JSON.parse(await readFile(file, 'utf8'));
  for (const language of ['en', 'de', 'sv', 'ar'])
    for (const rule of fieldRules) assert.ok(texts[`field_${rule}`]?.[language], `${language} ${rule}`);
});

/** Sends the form of the profile, as a browser without scripts does. */
async function sendProfile(fields: Record<string, string>, language: string) {
  const response = await fetch(`${api.url}/settings/profile?/profile`, {
    method: 'POST',
    headers: { cookie, 'accept-language': language, 'sec-fetch-site': 'same-origin', origin: api.url },
    body: new URLSearchParams(fields),
  });
  return { status: response.status, text: await response.text() };
}

test('fields: a form that the API refuses names the rule and its limit in the language of the visitor', async () => {
  const tooLong = { name: 'x'.repeat(81), username: 'a b' };
  const { body } = expectStatus(await api.patch('/v1/me', person.token, tooLong), 400);
  const [limit, rules] = [body.errors[0].limit, body.errors.map(({ rule }: { rule: string }) => rule)];
  assert.deepEqual(rules, ['max_length', 'username']);
  const texts = {
    en: [`Too long. The most is ${limit} characters.`, '3 to 30 characters'],
    de: [`Zu lang: höchstens ${limit} Zeichen.`, '3 bis 30 Zeichen'],
    ar: ['النص طويل جدًا', 'من 3 إلى 30 حرفًا'],
  };
  for (const [language, expected] of Object.entries(texts)) {
    const page = await sendProfile({ ...tooLong, bio: '', city: '' }, language);
    assert.equal(page.status, 400);
    for (const text of expected) assert.ok(page.text.includes(text), `${language}: ${text}`);
  }
});

test('fields: a reserved username is 409, and its field says so', async () => {
  const page = await sendProfile({ name: 'A', username: 'root', bio: '', city: '' }, 'en');
  assert.equal(page.status, 409);
  assert.match(page.text, /This name is reserved\./);
});
