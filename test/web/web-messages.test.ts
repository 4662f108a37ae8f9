/** Messages: the compiler of the texts of pages, its checks, and the functions that it writes. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { pathToFileURL } from 'node:url';
import { findDefects, type Messages } from '../../web/check-messages.ts';
import { compileMessages, messageSources } from '../../web/compile-messages.ts';
import { baseLanguage, type Language, setLanguageSource } from '../../web/src/lib/language/languages.ts';
import type { m } from '../../web/src/lib/messages/index.js';

const folder = await mkdtemp(path.join(tmpdir(), 'messages-'));
after(() => rm(folder, { recursive: true }));

const two = (one: string, other: string) => ({ count: { one, other } });
const guests = {
  zero: 'لا ضيوف عند {name}',
  one: 'ضيف عند {name}',
  two: 'ضيفان عند {name}',
  few: '{count} ضيوف عند {name}',
  many: '{count} ضيفًا عند {name}',
  other: '{count} ضيف عند {name}',
};
const complete: Record<Language, Messages> = {
  en: { delete: 'Delete', greeting: 'Hi, {name}!', guests: two('{name} has one', '{name} has {count}') },
  de: { delete: 'Löschen', greeting: 'Hallo {name}!', guests: two('Eins bei {name}', '{count} bei {name}') },
  sv: { delete: 'Ta bort', greeting: 'Hej {name}!', guests: two('En hos {name}', '{count} hos {name}') },
  ar: { delete: 'حذف', greeting: 'مرحبًا {name}!', guests: { count: guests } },
};

/** Compiles messages. Each of the files has all of them. */
async function compile(name: string, messages: Record<Language, Messages>, files = ['texts.json']) {
  const [sources, output] = [path.join(folder, name, 'sources'), path.join(folder, name, 'compiled')];
  const texts: Record<string, Messages> = {};
  for (const [language, ofLanguage] of Object.entries(messages))
    for (const [message, text] of Object.entries(ofLanguage))
      texts[message] = { ...texts[message], [language]: text };
  await mkdir(sources, { recursive: true });
  for (const file of files) await writeFile(path.join(sources, file), JSON.stringify(texts));
  await compileMessages(sources, output);
  return output;
}

/** Calls a function while the page has a language. */
function inLanguage<T>(language: Language, call: () => T): T {
  setLanguageSource(() => language);
  try {
    return call();
  } finally {
    setLanguageSource(() => baseLanguage);
  }
}

test('messages: the text, its plural form and its inputs are those of the language of the page', async () => {
  const output = await compile('complete', complete);
  const { m: texts } = await import(pathToFileURL(path.join(output, 'index.js')).href);
  assert.deepEqual([texts.delete(), inLanguage('sv', () => texts.delete())], ['Delete', 'Ta bort']);
  assert.equal(
    inLanguage('de', () => texts.greeting({ name: '{count} <b> $& é' })),
    'Hallo {count} <b> $& é!',
  );
  const english = { 0: 'Ada has 0', 1: 'Ada has one', 2: 'Ada has 2', 1.5: 'Ada has 1.5' };
  for (const [count, text] of Object.entries(english))
    assert.equal(texts.guests({ name: 'Ada', count: Number(count) }), text);
  const arabic = { 0: 'zero', 1: 'one', 2: 'two', 3: 'few', 11: 'many', 99: 'many', 100: 'other' } as const;
  for (const [count, form] of Object.entries(arabic))
    assert.equal(
      inLanguage('ar', () => texts.guests({ name: 'Ada', count: Number(count) })),
      fill(guests[form], count),
    );
});

const fill = (text: string, count: string) => text.replace('{name}', 'Ada').replace('{count}', count);

test('messages: the scripts of a page contain only messages of the page, and few that other pages share', async () => {
  const build = path.join(import.meta.dirname, '..', '..', 'web', 'build', 'client', '_app', 'immutable');
  const scripts = await Promise.all(
    globSync('**/*.js', { cwd: build }).map((file) => readFile(path.join(build, file), 'utf8')),
  );
  const texts: Record<string, Messages> = JSON.parse(
    await readFile(path.join(messageSources, 'admin.json'), 'utf8'),
  );
  // Other texts may be part of a longer one.
  const long = Object.values(texts)
    .map(({ de }) => de)
    .filter((text) => typeof text === 'string' && /^[^{}'"]{30,}$/.test(text));
  assert.ok(long.length > 5);
  const ofAllPages = scripts.filter((script) => script.includes('Zum Inhalt springen'));
  assert.equal(ofAllPages.length, 1);
  for (const text of long) {
    const containing = scripts.filter((script) => script.includes(`${text}`));
    assert.ok(containing.length === 1 && !ofAllPages.includes(containing[0] ?? ''), `${text}`);
  }
});

const changed = (language: Language, texts: object): Record<Language, Messages> => ({
  ...complete,
  [language]: { ...complete[language], ...texts },
});
const { two: _two, ...withoutTwo } = guests;
const three = { count: { zero: '{name}', one: '{name}', other: '{name}' } };
const noMessage = 'neither a text nor the plural forms of one input';
/** Each defect with the language, its texts, and the lines that name it. */
const defects: [string, Language, object, ...string[]][] = [
  ['a message is missing', 'sv', { guests: undefined }, 'sv guests: the message is missing'],
  [
    'a message of the base language is missing',
    'en',
    { delete: undefined },
    'en delete: the message is missing',
  ],
  ['a form is missing', 'ar', { guests: { count: withoutTwo } }, 'ar guests: the form "two" is missing'],
  ['no number has a form', 'en', { guests: three }, 'en guests: no number has the form "zero"'],
  [
    'an input is unknown',
    'ar',
    { greeting: '{nom}!' },
    'ar greeting: the input {nom} does not exist in en',
    'ar greeting: the input {name} is missing',
  ],
  [
    'an input of a form is unknown',
    'ar',
    { guests: { count: { ...guests, few: '{counts} {name}' } } },
    'ar guests: form "few": the input {counts} does not exist in en',
  ],
  ['an input is missing', 'ar', { greeting: 'مرحبًا!' }, 'ar greeting: the input {name} is missing'],
  ['braces are empty', 'ar', { greeting: '{name} {}' }, 'ar greeting: braces without the name of an input'],
  [
    'braces of a form are open',
    'ar',
    { guests: { count: { ...guests, one: '{name' } } },
    'ar guests: form "one": braces without the name of an input',
  ],
  [
    'another input selects the form',
    'ar',
    { guests: { name: guests } },
    'ar guests: the form depends on {name}, in en on {count}',
  ],
  [
    'a language has no plural forms',
    'ar',
    { guests: '{name} {count}' },
    'ar guests: the form depends on no input, in en on {count}',
  ],
  ['a value is no message', 'ar', { delete: ['حذف'] }, `ar delete: ${noMessage}`],
  ['two inputs have forms', 'ar', { guests: { count: guests, name: guests } }, `ar guests: ${noMessage}`],
  [
    'a name is no name of a function',
    'ar',
    { 'Add item': 'أضف' },
    'Add item: a name has lower-case letters, digits and underscores only',
  ],
];

test('messages: complete messages have no defects', () => assert.deepEqual(findDefects(complete), []));

for (const [title, language, texts, ...expected] of defects)
  test(`messages: ${title}: the defect names language, message and form`, () =>
    assert.deepEqual(findDefects(changed(language, texts)), expected));

test('messages: the compiler refuses defects with all of them, and keeps the compiled messages of before', async () => {
  const output = await compile('refused', complete);
  const before = await readdir(output);
  const texts = changed('ar', { guests: { count: withoutTwo }, greeting: 'مرحبًا!' });
  await assert.rejects(compile('refused', texts), /ar greeting: .*\nar guests: the form "two" is missing$/);
  assert.deepEqual(await readdir(output), before);
});

test('messages: the compiler refuses a message that two files have', async () => {
  await assert.rejects(
    compile('twice', complete, ['a.json', 'b.json']),
    /b\.json: also in another file: delete, /,
  );
});

/** Nothing calls this function: the compiler of TypeScript checks the types of compiled messages. */
export function typeErrors(texts: typeof m): string[] {
  return [
    texts.delete(),
    texts.people_found({ count: 2, q: 'Ada' }),
    // @ts-expect-error The inputs are missing.
    texts.people_found(),
    // @ts-expect-error An input is missing.
    texts.people_found({ count: 2 }),
    // @ts-expect-error The input does not exist.
    texts.people_found({ count: 2, q: 'Ada', name: 'Ada' }),
    // @ts-expect-error The number that selects the form is a text.
    texts.people_found({ count: '2', q: 'Ada' }),
    // @ts-expect-error The message has no inputs.
    texts.delete({ count: 2 }),
    // @ts-expect-error The message does not exist.
    texts.people_lost(),
  ];
}
