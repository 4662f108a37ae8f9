/** The form of docs/decisions, and every reference to a decision. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';

const root = path.join(import.meta.dirname, '..', '..');
const directory = path.join(root, 'docs', 'decisions');
const maxFiles = 50;

const decisions = globSync('*', { cwd: directory })
  .sort()
  .map((file) => ({
    file,
    number: Number.parseInt(file, 10),
    text: readFileSync(path.join(directory, file), 'utf8'),
  }));
const numbers = new Set(decisions.map(({ number }) => number));

const status =
  /^- Status: (?:accepted|superseded by decision (?<newer>\d+))(?:; includes the former decisions? (?<former>[\d, and]+))?$/;
const day = String.raw`\d{4}-\d{2}-\d{2}`;
const date = new RegExp(`^- Date: (?<first>${day})(?:, last changed (?<last>${day}))?$`);

/** The numbers of decisions that have become parts of another one. */
const formerOf = (text: string): number[] =>
  (status.exec(text.split('\n')[2] ?? '')?.groups?.former?.match(/\d+/g) ?? []).map(Number);

test(`decisions: at most ${maxFiles} files, each with a number of its own that its title repeats`, () => {
  assert.ok(decisions.length <= maxFiles, `${decisions.length} files: merge decisions about one subject`);
  assert.equal(numbers.size, decisions.length);
  for (const { file, number, text } of decisions) {
    assert.match(file, /^\d{4}-[a-z0-9-]+\.md$/);
    assert.ok(text.startsWith(`# ${number}. `), `${file}: the title has another number`);
  }
});

test('decisions: each has a status and a date', () => {
  for (const { file, text } of decisions) {
    const [, , statusLine = '', dateLine = ''] = text.split('\n');
    assert.match(statusLine, status, file);
    const newer = status.exec(statusLine)?.groups?.newer;
    assert.ok(newer === undefined || numbers.has(Number(newer)), `${file}: there is no decision ${newer}`);
    assert.match(dateLine, date, file);
    const { first = '', last = first } = date.exec(dateLine)?.groups ?? {};
    for (const value of [first, last]) assert.ok(Number.isFinite(Date.parse(value)), `${file}: ${value}`);
    assert.ok(first <= last, `${file}: the last change is before the first`);
  }
});

test('decisions: each has a context, a decision and consequences, and what was rejected before these', () => {
  for (const { file, text } of decisions) {
    const headings = Array.from(text.matchAll(/^## (.*)$/gm), ([, heading]) => heading);
    const all = ['Context', 'Decision', 'Rejected', 'Consequences'];
    assert.deepEqual(headings, headings.includes('Rejected') ? all : all.toSpliced(2, 1), file);
  }
});

test('decisions: the number of one that has become a part of another is not used again', () => {
  const former = new Set(decisions.flatMap(({ text }) => formerOf(text)));
  for (const number of former) assert.ok(!numbers.has(number), `${number} is used again`);
  const latest = Math.max(...numbers, ...former);
  const all = Array.from({ length: latest }, (_, i) => i + 1);
  assert.deepEqual(
    all.filter((number) => !numbers.has(number) && !former.has(number)),
    [],
  );
});

const texts = globSync(
  [
    '*.{md,json}',
    '.ci/*',
    '{bench,changes,deploy,docs,packages,release,src,test,torture}/**/*.{ts,md,sql,json,yaml}',
    'client/{*,{src,test}/**/*}.{ts,md,json}',
    'web/{*,{src,e2e,messages}/**/*}.{ts,svelte,css,json,md}',
  ],
  { cwd: root, exclude: ['**/node_modules/**', 'package-lock.json', 'client/src/generated/**'] },
).filter((file) => !file.endsWith('decisions.test.ts'));

test('decisions: each reference in code, tests and documents names a decision that exists', () => {
  const faults: string[] = [];
  for (const file of texts) {
    const text = readFileSync(path.join(root, file), 'utf8');
    // The former numbers of a decision stand in its status.
    const rest = text.replace(/^- Status: .*$/m, '');
    for (const [reference, number] of rest.matchAll(/\bdecisions?\s+(?:\*\s+)?(\d+)\b/gi))
      if (!numbers.has(Number(number))) faults.push(`${file}: ${reference}`);
    const links = rest.matchAll(/(?:\[(?:decision )?(\d+)\]\([^)\s]*?|decisions\/)(\d{4}-[a-z0-9-]+\.md)/gi);
    for (const [reference, label, target = ''] of links) {
      if (!existsSync(path.join(directory, target))) faults.push(`${file}: ${reference}`);
      if (label !== undefined && Number(label) !== Number.parseInt(target, 10))
        faults.push(`${file}: ${reference} leads to another decision`);
    }
  }
  assert.deepEqual(faults, []);
});

test('decisions: the files that they name exist', () => {
  // The build writes these, and Git does not have them.
  const built = ['web/build', 'src/modules/places/gazetteer.bin'];
  const faults: string[] = [];
  for (const { file, text } of decisions)
    for (const [, name = ''] of text.matchAll(
      /`((?:bench|client|deploy|packages|release|src|test|torture|web)\/[\w./[\]+-]*)`/g,
    ))
      if (!built.some((prefix) => name.startsWith(prefix)) && !existsSync(path.join(root, name)))
        faults.push(`${file}: ${name}`);
  assert.deepEqual(faults, []);
});
