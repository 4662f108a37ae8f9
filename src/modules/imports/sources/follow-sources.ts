/** Follows calendars, on any server: one that ends leaves its source to the others. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isTransient, transaction } from '#pg';
import { parseAddress } from '../../../lib/user-texts/parse-address.ts';
import { isActiveAccount } from '../../accounts/accounts.ts';
import { CalendarError } from '../calendar-error.ts';
import { problemOfFetched, problemOfSource } from '../import-problem.ts';
import { setQuestion } from '../runs/repo.ts';
import { startImports } from '../runs/run-imports.ts';
import type { RunServices } from '../runs/services.ts';
import type { Question } from '../tables/date-order.ts';
import { storeFailure } from './fail-source.ts';
import { readSource } from './read-source.ts';
import { type Answer, obtainFile } from './shared-fetches.ts';
import { hourOf } from './source-hour.ts';
import {
  listDueSources,
  lockTaken,
  postponeSource,
  type Source,
  setFailure,
  setSuccess,
  takeSource,
} from './source-repo.ts';
import { insertSourceRun, lockOpenRuns } from './source-runs.ts';
import { storeFindings } from './store-findings.ts';

/** Sources on which a server works at once: one whose host is slow holds up no others. */
const maxAtOnce = 8;
/** How often a server looks for further ones while it works on some. */
const lookMs = 500;

/** Works on the sources that are due, until there are none. */
export async function followSources(services: RunServices): Promise<void> {
  const { db, clock, log } = services;
  const running = new Set<Promise<void>>();
  for (;;) {
    const free = maxAtOnce - running.size;
    const due = free > 0 ? (await listDueSources(db, clock())).slice(0, free) : [];
    let begun = 0;
    for (const key of due) {
      const source = await takeSource(db, key, clock());
      if (!source) continue;
      begun++;
      const work = workOn(services, source)
        // Its lease ends, and then a server begins anew.
        .catch((error: unknown) => log.warn({ err: error, sourceId: source.id }, 'a source was interrupted'))
        .finally(() => running.delete(work));
      running.add(work);
    }
    if (running.size === 0) return;
    if (begun === 0) await Promise.race([...running, sleep(lookMs)]);
  }
}

/** Begins the work on what a request has made due, without waiting for it. */
export function startSources(services: RunServices): void {
  followSources(services).catch((error: unknown) =>
    services.log.warn({ err: error }, 'the work on sources was interrupted'),
  );
}

/** When a source is looked at again whose person is suspended, in hours. */
const suspendedHours = 1;

async function workOn(services: RunServices, source: Source): Promise<void> {
  const { db, clock, config, log } = services;
  const url = parseAddress(source.url);
  if (!url) throw new Error('the address of a source is not valid');
  const hourLength = hourOf(url, config.importTestOrigin);
  if (!(await isActiveAccount(db, source.userId)))
    return await postponeSource(db, source, new Date(clock().getTime() + suspendedHours * hourLength));
  const answer = await obtainFile(services, url, wantedBy(source, clock(), hourLength));
  if ('waitUntil' in answer) return await postponeSource(db, source, answer.waitUntil);
  if (answer.problem !== null)
    return await storeFailure(services, source, problemOfSource(answer.problem), hourLength);
  try {
    await read(services, source, answer, hourLength);
  } catch (error) {
    const problem = error instanceof CalendarError ? problemOfFetched(error) : null;
    if (!problem) {
      if (isTransient(error)) throw error;
      log.error({ err: error, sourceId: source.id }, 'a source could not be read');
    }
    await storeFailure(services, source, problem ?? problemOfSource('source_unreadable'), hourLength);
  }
}

/** The answer of this hour, unless the person asked for a newer one. The failure of another person's fetch is not the first one here. */
function wantedBy({ wantedSince, createdAt, lastGoodAt, failures }: Source, now: Date, hourLength: number) {
  const since = new Date(Math.max(wantedSince.getTime(), now.getTime() - hourLength));
  return { since, problemsSince: lastGoodAt || failures > 0 ? since : createdAt };
}

/** How long a file that has not changed is not read again: what its rules give for coming days follows from the date. */
const readAgainHours = 24;
/** So much longer than an hour is the time to the next fetch at most. */
const jitter = 0.1;

type GoodAnswer = Extract<Answer, { problem: null }>;

/**
 * What makes it right on any number of servers: the source belongs to the server whose lease is in its row. A server that has lost it,
 * because its lease ended or the person asked for something, stores nothing, and of a source that was deleted meanwhile there is no
 * row. What is stored, and that it was, is one transaction, so a server that is killed has done all of it or nothing.
 */
async function read(
  services: RunServices,
  source: Source,
  { body, type, hash, fetchedAt }: GoodAnswer,
  hourLength: number,
): Promise<void> {
  const { db, clock } = services;
  const now = clock();
  const next = fetchedAt.getTime() + hourLength * (1 + Math.random() * jitter);
  const dueAt = new Date(Math.max(next, now.getTime()));
  const isRead =
    source.readHash?.equals(hash) &&
    source.readAt !== null &&
    now.getTime() - source.readAt.getTime() < readAgainHours * hourLength;
  if (isRead) return await storeUnchanged(services, source, { fetchedAt, dueAt });
  const findings = await readSource(services, source, { body, type, fetchedAt, hourLength });
  if (!findings) return;
  if ('question' in findings) return await storeQuestion(services, source, findings.question, dueAt);
  await transaction(db, async (tx) => {
    if (!(await lockTaken(tx, source))) return;
    if (!(await storeFindings(tx, source, findings, now)))
      return await postponeSource(tx, source, new Date(now.getTime() + lookMs));
    const { decisions, absences } = findings;
    const isComplete =
      decisions.automatic.length === 0 && absences.missing.length === absences.confirmed.length;
    await setSuccess(tx, source, { fetchedAt, readHash: isComplete ? hash : null, readAt: now, dueAt });
  });
  if (findings.decisions.automatic.length > 0) startImports(services);
}

/** The calendar is a table of which the person has to say something first. */
async function storeQuestion(
  { db, clock }: RunServices,
  source: Source,
  question: Question,
  dueAt: Date,
): Promise<void> {
  await transaction(db, async (tx) => {
    if (!(await lockTaken(tx, source))) return;
    const runs = await lockOpenRuns(tx, source);
    if (!runs.some(({ questions }) => questions.length > 0)) {
      const first = runs.find(({ status }) => status === 'reading');
      const run = first ?? (await insertSourceRun(tx, source, { status: 'reading' }, clock()));
      await setQuestion(tx, run, { question, file: null, media: 'url' });
    }
    // A fetch that succeeded ends the failures before it, although the calendar is not read yet.
    await setFailure(tx, source, { problem: null, failingSince: null, failures: 0, dueAt });
  });
}

async function storeUnchanged(
  { db }: RunServices,
  source: Source,
  { fetchedAt, dueAt }: { fetchedAt: Date; dueAt: Date },
): Promise<void> {
  await transaction(db, async (tx) => {
    const locked = await lockTaken(tx, source);
    if (!locked?.readAt) return;
    const { readHash, readAt } = locked;
    await setSuccess(tx, source, { fetchedAt, readHash, readAt, dueAt });
  });
}
