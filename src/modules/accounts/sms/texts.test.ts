import assert from 'node:assert/strict';
import test from 'node:test';
import { languages } from '../../../../web/src/lib/language/languages.ts';
import { messageText } from './texts.ts';

const purposes = ['sign_in', 'delete_account'] as const;
const publicUrl = 'https://events.example.org';
const code = '012345';
const line = `\n\n@events.example.org #${code}`;

/** Letters of European languages that GSM 03.38 has beside ASCII. It has neither "[", "{" nor typographic quotes. */
const ofGsm = /^[\n !"#$%&'()*+,\-./0-9:;<=>?@A-Za-zåäöüÅÄÖÜßéàèñ]*$/;

test('message: the code first, one message, and the line that binds the code last, in each language', () => {
  for (const purpose of purposes) {
    for (const language of languages) {
      const text = messageText({ purpose, code, language }, { publicUrl, instanceName: 'Potluck' });
      assert.ok(text.startsWith(`${code} `) && text.endsWith(line), text);
      assert.match(text, /Potluck/);
      if (language !== 'ar') assert.match(text, ofGsm);
      assert.ok(text.length <= (language === 'ar' ? 70 : 160), `${text.length} ${text}`);
    }
  }
});

test('message: with the longest name, one message in each language', () => {
  for (const purpose of purposes) {
    for (const language of languages) {
      const instanceName = 'N'.repeat(40);
      const text = messageText({ purpose, code, language }, { publicUrl, instanceName });
      assert.ok(text.length <= (language === 'ar' ? 70 : 160), `${text.length} ${text}`);
      assert.ok(text.includes(instanceName));
    }
  }
});

test('message: the advice gives way to the line, and the line to the limit; another alphabet has 70 characters', () => {
  const arabic = (host: string) =>
    messageText(
      { purpose: 'sign_in', code, language: 'ar' },
      { publicUrl: `https://${host}`, instanceName: 'Potluck' },
    );
  const text = `${code} هو رمزك في Potluck.`;
  assert.equal(arabic('a.example'), `${text} لا تشاركه مع أحد.\n\n@a.example #${code}`);
  assert.equal(arabic('events.example.org'), `${text}\n\n@events.example.org #${code}`);
  assert.equal(arabic(`${'a'.repeat(30)}.example.org`), `${text} لا تشاركه مع أحد.`);
  const cyrillic = messageText(
    { purpose: 'sign_in', code, language: 'en' },
    { publicUrl, instanceName: 'Обед' },
  );
  assert.equal(cyrillic, `${code} is your Обед code.${line}`);
});

test('message: the name is shown as it is, also if it looks like a part of the text', () => {
  for (const instanceName of ['{code}', '$&', 'A{name}'])
    assert.ok(
      messageText({ purpose: 'sign_in', code, language: 'en' }, { publicUrl, instanceName }).includes(
        `your ${instanceName} code`,
      ),
    );
});
