/** Servers that compute lists in both ways: from the discovery index, and by statements on the database. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestApp, type TestApp } from './setup.ts';

/** Starts a server in each mode on one database. A GET is sent to both servers, whose responses must be equal. */
export async function startBothModes(on?: TestApp): Promise<TestApp> {
  const memory = await (on ? on.startAnother({ env: {} }) : startTestApp());
  const sql = await memory.startAnother({ env: { DISCOVERY: 'sql' } });
  await untilIndexed(memory);
  const get: TestApp['get'] = async (path, token) => {
    const [response, other] = await Promise.all([memory.get(path, token), sql.get(path, token)]);
    assert.equal(other.status, response.status, `the status in SQL mode: ${path}`);
    if (response.status === 200) {
      assert.deepEqual(comparable(other.body), comparable(response.body), `the body in SQL mode: ${path}`);
    }
    return response;
  };
  return { ...memory, get };
}

/** A body without the time until which a copy of the events is complete: it is that of the request. */
const comparable = (body: Body): Body =>
  body?.sync ? { ...body, sync: { ...body.sync, syncedAt: null } } : body;
type Body = Awaited<ReturnType<TestApp['get']>>['body'];

/** Waits until the server computes lists from its index. */
export async function untilIndexed(api: TestApp): Promise<void> {
  for (let waited = 0; waited < 10_000; waited += 10) {
    const { body } = await api.get('/metrics');
    if (/^potluck_discovery_index_loaded 1/m.test(body)) return;
    await sleep(10);
  }
  assert.fail('the discovery index was not loaded within 10 s');
}
