import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { readTar, TarError, TarWriter } from './tar.ts';

const directory = await mkdtemp(path.join(os.tmpdir(), 'potluck-tar-'));
after(() => rm(directory, { recursive: true, force: true }));

const files = {
  empty: '',
  'folder/short': 'a line\n',
  block: 'b'.repeat(512),
  'folder/long': 'naïve 🥘\n'.repeat(1_000),
};

async function* chunksOf(text: string, size = 100) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function* chunksOfBytes(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function writeArchive(): Promise<string> {
  const file = path.join(directory, 'a.tar');
  await using handle = await open(file, 'w');
  const tar = new TarWriter(handle, new Date('2026-11-26T03:30:00Z'));
  for (const [name, text] of Object.entries(files)) await tar.add(name, chunksOf(text));
  await tar.end();
  return file;
}

async function readAll(bytes: Buffer, size = 1_000): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { name, content } of readTar(chunksOfBytes(bytes, size)))
    found[name] = Buffer.concat(await Array.fromAsync(content)).toString('utf8');
  return found;
}

const bytes = await readFile(await writeArchive());

test('tar: the program tar of the system reads what is written', async () => {
  const file = await writeArchive();
  const names = execFileSync('tar', ['-tf', file], { encoding: 'utf8' });
  assert.deepEqual(names.trim().split('\n'), Object.keys(files));
  for (const [name, text] of Object.entries(files))
    assert.equal(execFileSync('tar', ['-xOf', file, name], { encoding: 'utf8' }), text, name);
});

test('tar: the reader returns the same files, however the bytes arrive', async () => {
  for (const size of [1, 7, 511, 512, 513, bytes.length])
    assert.deepEqual(await readAll(bytes, size), files, `${size}`);
});

test('tar: files that are not read to their end are skipped', async () => {
  const names: string[] = [];
  for await (const { name, content } of readTar(chunksOfBytes(bytes, 300))) {
    names.push(name);
    for await (const _ of content) break;
  }
  assert.deepEqual(names, Object.keys(files));
});

/** No divisor of 512, so the places in the headers differ. */
const step = 5;

test('tar: a changed byte outside of the content, and a truncation, is an error', async () => {
  let at = 0;
  for (const text of Object.values(files)) {
    const content = [at + 512, at + 512 + Buffer.byteLength(text)] as const;
    at = Math.ceil(content[1] / 512) * 512;
    for (const [from, to] of [
      [content[0] - 512, content[0]],
      [content[1], at],
    ] as const)
      for (let byte = from; byte < to; byte += step) await expectDamage(byte);
  }
  for (let byte = at; byte < bytes.length; byte += step) await expectDamage(byte);
  for (let length = 0; length < bytes.length; length += 97)
    await assert.rejects(readAll(bytes.subarray(0, length)), TarError, `${length}`);
  await assert.rejects(readAll(Buffer.concat([bytes, Buffer.alloc(1)])), TarError);
});

async function expectDamage(byte: number): Promise<void> {
  const damaged = Buffer.from(bytes);
  damaged[byte] = (damaged[byte] ?? 0) ^ 1;
  await assert.rejects(readAll(damaged, bytes.length), TarError, `byte ${byte}`);
}
