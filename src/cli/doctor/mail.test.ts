import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import test from 'node:test';
import { examineRecords } from './mail.ts';

test('mail records: the exact record to add for each that is missing or wrong', async () => {
  const pem = { type: 'pkcs8', format: 'pem' } as const;
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const dkim = { selector: 'potluck', privateKey: privateKey.export(pem) as string };
  const server = {
    host: 'mail.club.example',
    port: 587,
    tls: 'required',
    user: undefined,
    authorities: undefined,
  } as const;
  const mail = { server, from: { name: undefined, address: 'events@our.club.example' }, dkim };
  const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const examined = async (
    records: Record<string, string[]>,
    of: Parameters<typeof examineRecords>[0] = mail,
  ) =>
    (await examineRecords(of, async (name) => records[name] ?? [])).map(({ state, next }) => next ?? state);
  assert.deepEqual(await examined({}), [
    'Add to the DNS: our.club.example. TXT "v=spf1 a:mail.club.example ~all" (or the include: that the mail provider documents)',
    `Add to the DNS: potluck._domainkey.our.club.example. TXT "v=DKIM1; k=rsa; p=${key}"`,
    'Add to the DNS: _dmarc.our.club.example. TXT "v=DMARC1; p=none"',
  ]);
  const right = {
    'our.club.example': ['other', 'v=spf1 include:provider.example -all'],
    'potluck._domainkey.our.club.example': [`v=DKIM1; p=${key.slice(0, 90)} ${key.slice(90)}`],
    '_dmarc.club.example': ['v=DMARC1; p=reject'],
  };
  assert.deepEqual(await examined(right), ['good', 'good', 'good']);
  const [spf, other] = await examined({
    ...right,
    'our.club.example': ['v=spf1 -all', 'v=spf1 ~all'],
    'potluck._domainkey.our.club.example': ['v=DKIM1; p=AAAA'],
  });
  assert.deepEqual([spf, other?.slice(-40)], ['Join them into one record.', `${key.slice(-39)}"`]);
  assert.deepEqual(await examined(right, { ...mail, dkim: undefined }), ['good', 'skipped', 'good']);
});
