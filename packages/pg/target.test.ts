import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { findUnverifiedHost } from './target.ts';

test('tls: a host of another machine is unverified with every sslmode except verify-full', async () => {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'potluck-ca-'));
  const authority = path.join(directory, 'ca.pem');
  await writeFile(authority, 'a certificate');
  const withMode = (query: string) =>
    findUnverifiedHost(`postgres://me:hidden@db.example.org/potluck${query}`);
  const root = `sslrootcert=${encodeURIComponent(authority)}`;
  for (const query of [
    '',
    '?sslmode=disable',
    '?sslmode=prefer',
    '?sslmode=require',
    `?sslmode=require&${root}`,
    `?sslmode=verify-ca&${root}`,
    '?ssl=no-verify',
  ]) {
    assert.equal(withMode(query), 'db.example.org', query);
  }
  for (const query of ['?sslmode=verify-full', `?sslmode=verify-full&${root}`, '?ssl=true'])
    assert.equal(withMode(query), null, query);
  await rm(directory, { recursive: true });
});

test('tls: a socket directory and a loopback address need no verification; any other host does', () => {
  for (const target of [
    'postgres://me@127.0.0.1:5432/potluck',
    'postgres://me@[::1]/potluck',
    'postgres://me@localhost/potluck',
    'postgres://me@localhost/potluck?host=/var/run/postgresql',
    { socketDir: '/run/db', port: 5432, user: 'me', password: 'hidden', database: 'potluck' },
  ]) {
    assert.equal(findUnverifiedHost(target), null, JSON.stringify(target));
  }
  assert.equal(findUnverifiedHost('postgres://me@10.0.0.7/potluck?sslmode=require'), '10.0.0.7');
  assert.equal(findUnverifiedHost('postgres://me@localhost/potluck?host=db'), 'db');
});
