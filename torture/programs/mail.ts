import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '#base';
import { insertMails, type NewMail } from '../../src/mail/mails.ts';
import { postfixProblem, startPostfix } from '../../test/support/postfix.ts';
import type { Environment } from '../environment.ts';
import { MissingRequirement, type Program } from '../program.ts';

/** Mails that a server sends at the same time (src/mail/mail-sender.ts). */
const sentAtOnce = 4;
const mailsPerTransaction = 100;
/** A lease ends after a minute, and a lost connection is repeated after a minute. */
const maxWaitMs = 10 * 60_000;

/** The ids in the `Message-ID` of mails, each with the number of its copies. */
function countCopies(mails: string[]): Map<string, number> {
  const copies = new Map<string, number>();
  for (const mail of mails) {
    const id = /^Message-ID: <([^@]+)@/im.exec(mail)?.[1] ?? 'none';
    copies.set(id, (copies.get(id) ?? 0) + 1);
  }
  return copies;
}

/** Stores mails in transactions, as their causes do. */
async function storeMails({ sql }: Environment, total: number): Promise<void> {
  const sources = Array.from({ length: 20 }, newId);
  for (let stored = 0; stored < total; stored += mailsPerTransaction) {
    const mails = Array.from({ length: Math.min(mailsPerTransaction, total - stored) }, (_, n): NewMail => {
      const [id, userId, sourceId] = [newId(), newId(), sources[(stored + n) % sources.length] ?? newId()];
      return {
        id,
        userId,
        kind: 'test',
        subjectId: userId,
        sourceId,
        address: `${id}@example.net`,
        language: 'en',
      };
    });
    await sql.begin(async (tx) => tx.execute(await insertMails(tx, mails, new Date())));
  }
}

export const mail: Program = {
  name: 'mail',
  expectation:
    '10,000 mails are stored while two servers that send them to a Postfix are killed ten times and the Postfix is killed ' +
    'five times: each mail arrives, none that did not arrive is called sent, and second copies exist only of mails whose ' +
    'connection was lost',
  async run({ size, startEnvironment, addCleanup, progress }) {
    if (postfixProblem) throw new MissingRequirement(`${postfixProblem}: as root, apt-get install postfix`);
    const [total, kills, restarts] = [size(10_000, 400), size(10, 2), size(5, 1)];
    const postfix = await startPostfix();
    addCleanup(postfix.stop);
    const env = {
      MAIL_URL: `smtp://127.0.0.1:${postfix.port}`,
      MAIL_FROM: 'events@example.org',
      MAIL_PER_HOUR: '1000000',
    };
    const environment = await startEnvironment({ env });
    const { sql } = environment;
    const storing = storeMails(environment, total);
    for (let kill = 0; kill < kills; kill++) {
      progress(`${kill} of ${kills} servers killed`);
      await sleep(2_000);
      await environment.replace(kill % 2);
      if ((kill + 1) % (kills / restarts) > 0) continue;
      await postfix.stop();
      await sleep(500);
      await postfix.start();
    }
    await storing;
    const states = async () => {
      const rows = await sql<
        { id: string; state: string; attempts: number }[]
      >`select id, state, attempts from mails`;
      return rows;
    };
    let arrived = countCopies(await postfix.readMails());
    for (const since = performance.now(); performance.now() - since < maxWaitMs; await sleep(1_000)) {
      arrived = countCopies(await postfix.readMails());
      const isSent = (await sql`select 1 from mails where state <> 'sent' limit 1`).length === 0;
      progress(`${arrived.size} of ${total} mails arrived`);
      if (isSent && arrived.size >= total) break;
    }
    const rows = await states();
    const lost = rows.filter(({ id }) => !arrived.has(id)).length;
    const calledSent = rows.filter(({ id, state }) => state === 'sent' && !arrived.has(id)).length;
    const unsent = rows.filter(({ state }) => state !== 'sent').length;
    const copies = [...arrived.values()].reduce((sum, count) => sum + count - 1, 0);
    const unexplained = rows.filter(({ id, attempts }) => (arrived.get(id) ?? 0) > attempts).length;
    const maxCopies = sentAtOnce * (kills + 2 * restarts);
    return {
      result:
        `${arrived.size} of ${total} mails arrived, ${lost} lost, ${calledSent} called sent without having arrived, ` +
        `${unsent} not sent; ${copies} second copies (at most ${maxCopies} were being sent at ${kills} kills of servers ` +
        `and ${restarts} of the mail server), ${unexplained} of mails that were sent once`,
      ok:
        rows.length === total &&
        arrived.size === total &&
        lost + calledSent + unsent + unexplained === 0 &&
        copies <= maxCopies,
    };
  },
};
