/** Rows for every table, because a table without rows does not show whether the backup contains it. */
import { randomUUID } from 'node:crypto';
import { createAdmin, createUpload, createUser, eventBody } from '../test/support/factories.ts';
import { answerAsGuest } from '../test/support/guests.ts';
import { createPersonWithEverything } from '../test/support/person-with-everything.ts';
import { expectStatus } from '../test/support/setup.ts';
import { openApi } from './api.ts';
import type { Environment } from './environment.ts';

export async function fillEveryTable(environment: Environment): Promise<void> {
  const { client, servers } = environment;
  const [server] = servers;
  if (!server) throw new Error('no server is running');
  // One server, because the address of an avatar is that of the server that stored it.
  const send: typeof client.send = (method, path, call) => client.send(method, path, { ...call, server });
  const api = await openApi({ ...environment, client: { ...client, send } });
  const { person } = await createPersonWithEverything(api, api);
  const admin = await createAdmin(api);
  const flag = { token: admin.token, body: { enabled: true } };
  expectStatus(await api.call('PUT', '/v1/admin/flags/uploads', flag), 200);
  const headers = { 'idempotency-key': randomUUID() };
  const once = { token: person.token, body: eventBody(), headers };
  expectStatus(await api.call('POST', '/v1/events', once), 201);
  await createUpload(api, admin);
  const suspended = await createUser(api);
  const reason = { token: admin.token, body: { reason: 'Spam' } };
  expectStatus(await api.call('POST', `/v1/admin/users/${suspended.id}/suspend`, reason), 200);
  // Only servers that really send messages count them.
  // Servers with replicas write it.
  await environment.sql`insert into database_instances (started_at) values (pg_postmaster_start_time()::text)`;
  await environment.sql`insert into code_sends (scope, day, sent) values ('all', current_date, 3)`;
  // A file that is to be deleted: it has a row only while an upload or its deletion runs, or after a crash.
  await environment.sql`insert into loose_files (id, due) values (${randomUUID()}, now() + interval '1 day')`;
  // An address gets a row when a mail server refuses it for good.
  await environment.sql`insert into suppressed_addresses (address_hash, since) values ('\\x01', now())`;
  await environment.sql`insert into refused_invitations (contact_hash, since) values ('\\x01', now())`;
  // What a geocoder has answered.
  await environment.sql`insert into geocoder_answers (key, streets, at) values ('\\x01', '[]', now())`;
  // Deleted accounts have a row for five minutes.
  await environment.sql`
    insert into deleted_accounts (id, sealed, sweeps, due_at)
    values (${randomUUID()}, 'sealed', 0, now() + interval '1 day')`;
  // Events get a row when their guests are reminded.
  const { body: event } = expectStatus(
    await api.call('POST', '/v1/events', { token: person.token, body: eventBody() }),
    201,
  );
  await environment.sql`insert into event_reminders (event_id, start_at) values (${event.id}, now())`;
  await answerAsGuest(api, event.id, { email: 'guest@example.org', name: 'Mara', status: 'going' });
}
