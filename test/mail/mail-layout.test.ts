/**
 * What mails look like: each kind in each language, as text and as HTML, compared with files. A missing file is written, except
 * where CI is set, so to change a mail, delete its files and run the test.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { colours, contrasts, type MailContent, renderHtml, renderText } from '../../src/mail/layout.ts';
import messages from '../../src/mail/messages.json' with { type: 'json' };
import { exampleKinds, mailExample, newsExample } from '../../src/modules/notifications/mail/examples.ts';
import { type MailedNews, newsContent } from '../../src/modules/notifications/mail/mail-content.ts';
import { findDefects, type Messages } from '../../web/check-messages.ts';
import { type Language, languages } from '../../web/src/lib/language/languages.ts';

const folder = path.join(import.meta.dirname, 'golden');
mkdirSync(folder, { recursive: true });

const instance = 'Mölle & Söner';
const context = { instance, links: 'https://events.example.org' };
const [changed, message, follower] = (['eventChanged', 'message', 'follower'] as const).map((kind) =>
  newsExample(kind, context),
) as [MailedNews, MailedNews, MailedNews];
const days = {
  startAt: new Date('2027-06-17T22:00:00Z'),
  endAt: new Date('2027-06-20T22:00:00Z'),
  allDay: true,
};

/** Beside the examples, by the name of the files. */
const more: Record<string, MailedNews> = {
  'eventChanged-all_day': { ...changed, row: { ...changed.row, ...days, address: '' } },
  'message-several': { ...message, row: { ...message.row, count: 11 }, names: [] },
  'follower-several': { ...follower, names: ['Noor al-Hamad', 'Leila', 'Åsa', 'Ben', 'Cem'] },
};

/** Every mail, by the name of its files. */
const mails: Record<string, MailContent> = Object.fromEntries(
  languages.flatMap((language) => [
    ...exampleKinds.map((kind) => [`${kind}.${language}`, mailExample(kind, language, context)]),
    ...Object.entries(more).map(([name, news]) => [
      `${name}.${language}`,
      newsContent(news, language, context),
    ]),
  ]),
);

test('mail layout: each kind in each language equals its files, and no file is of another mail', () => {
  const rendered = Object.entries(mails).flatMap(([name, content]) => [
    { file: `${name}.txt`, text: renderText(content) },
    { file: `${name}.html`, text: renderHtml(content, instance) },
  ]);
  if (!process.env.CI)
    for (const { file, text } of rendered)
      if (!existsSync(path.join(folder, file))) writeFileSync(path.join(folder, file), text);
  const files = readdirSync(folder);
  const read = (file: string) => readFileSync(path.join(folder, file), 'utf8');
  const missing = rendered.filter(({ file }) => !files.includes(file));
  const changed = rendered.filter(({ file, text }) => files.includes(file) && text !== read(file));
  const unknown = files.filter((name) => !rendered.some(({ file }) => file === name));
  const listed = [...missing, ...changed].map(({ file }) => file).concat(unknown);
  const [first] = changed;
  if (listed.length > 0)
    assert.fail(
      `These files of test/mail/golden are not the mails:\n${listed.join('\n')}\n` +
        (first ? `${first.file} would be:\n${first.text}\n` : '') +
        'If the mails are right, write the files again, and read what "git diff" shows:\n' +
        'rm test/mail/golden/*; npm run test:one -- test/mail/mail-layout.test.ts',
    );
});

test('mail layout: small, without anything that is loaded, and with the language and its direction', () => {
  for (const [name, content] of Object.entries(mails)) {
    const html = renderHtml(content, instance);
    assert.ok(Buffer.byteLength(html) < 60_000, `${name} has ${Buffer.byteLength(html)} bytes`);
    assert.doesNotMatch(
      html,
      /<(img|link|script|iframe|object|video|audio|form)\b|url\(|@import|@font-face|\bsrc=/i,
      name,
    );
    const direction = content.language === 'ar' ? 'rtl' : 'ltr';
    assert.match(html, new RegExp(`^<!doctype html><html lang="${content.language}" dir="${direction}">`));
    assert.doesNotMatch(`${html}${renderText(content)}`, /undefined|\{\w+\}/, name);
  }
});

test('mail layout: texts of people cannot become HTML', () => {
  const evil = '<script>alert(1)</script>"\'&';
  const content: MailContent = {
    ...{
      language: 'en',
      subject: evil,
      heading: evil,
      code: evil,
      paragraphs: [evil],
      items: [evil],
      footer: [evil],
    },
    event: { month: evil, day: evil, title: evil, lines: [evil] },
    button: { text: evil, url: `https://example.org/?${evil}` },
  };
  const html = renderHtml(content, evil);
  assert.doesNotMatch(html, /<script/);
  assert.equal(html.match(/"/g)?.length, renderHtml({ ...content, heading: 'x' }, 'x').match(/"/g)?.length);
});

test('mail layout: each pair of text and ground has a contrast of 4.5 or more, in light and dark', () => {
  for (const scheme of Object.values(colours))
    for (const [text, ground] of contrasts) {
      const ratio = contrastOf(scheme[text], scheme[ground]);
      assert.ok(ratio >= 4.5, `${scheme[text]} on ${scheme[ground]}: ${ratio.toFixed(2)}`);
    }
});

test('mail layout: every text exists in every language, with the same inputs', () => {
  const of = (language: Language): Messages =>
    Object.fromEntries(Object.entries(messages).map(([name, texts]) => [name, texts[language]]));
  assert.deepEqual(findDefects({ en: of('en'), de: of('de'), sv: of('sv'), ar: of('ar') }), []);
});

/** By the formula of WCAG 2.2. */
function contrastOf(first: string, second: string): number {
  const [light = 0, dark = 0] = [luminanceOf(first), luminanceOf(second)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
