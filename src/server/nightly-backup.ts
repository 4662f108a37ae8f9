/**
 * The backup of each day, for servers with BACKUP_DIR. The directory is the only record of what was made: a server whose
 * directory has no backup of today's time makes one, also when it was stopped at that time. Servers that share a directory make
 * one together, because the command waits for its turn and looks again (cli/backup.ts).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { dayMs, hourMs, minuteMs } from '#base';
import type { BackupConfig } from '../config/backups.ts';
import type { App } from '../http/app.ts';
import type { Job } from '../http/define-module.ts';
import { lastBackup } from '../http/metrics.ts';
import type { BaseServices } from '../http/services.ts';
import { listBackups } from '../lib/backup-files.ts';

/** A failed backup may have read everything, so it is not repeated at once. */
const retryMs = hourMs;

/** The last time at which a backup was due. */
export function lastDue(now: Date, atMinute: number): Date {
  const offset = atMinute * minuteMs;
  return new Date(Math.floor((now.getTime() - offset) / dayMs) * dayMs + offset);
}

/** Returns no job without BACKUP_DIR. The job ends with the app. */
export function nightlyBackupJobs(app: App, { config, log }: BaseServices): Job<BaseServices>[] {
  const { backups } = config;
  if (!backups) return [];
  const { directory, atMinute } = backups;
  const stop = new AbortController();
  app.addHook('preClose', async () => stop.abort());
  let retryAt = 0;
  const run = async ({ clock }: BaseServices) => {
    const due = lastDue(clock(), atMinute);
    const newest = await measureNewest(directory);
    if ((newest && newest.at >= due) || performance.now() < retryAt) return;
    retryAt = performance.now() + retryMs;
    const started = performance.now();
    await makeBackup(backups, due, stop.signal);
    if (stop.signal.aborted) return;
    const made = await measureNewest(directory);
    const seconds = Math.round((performance.now() - started) / 1_000);
    log.info({ file: made?.name, bytes: made?.bytes, seconds }, 'the backup of the day was made');
  };
  return [{ name: 'make the backup of the day', everyMs: minuteMs, atStart: true, run }];
}

async function measureNewest(directory: string) {
  const [newest = null] = await listBackups(directory);
  lastBackup.time.set(newest ? newest.at.getTime() / 1_000 : 0);
  lastBackup.bytes.set(newest?.bytes ?? 0);
  return newest;
}

const program = path.join(import.meta.dirname, '..', '..', 'bin', 'potluck.js');

/**
 * Runs the command in a process of its own, which gets the processor when requests do not need it.
 * @throws Error with the output of a command that fails
 */
async function makeBackup({ directory, keep }: BackupConfig, due: Date, signal: AbortSignal): Promise<void> {
  const command = ['backup', directory, '--keep', keep, '--due', due.toISOString()];
  const args = ['-n', '19', process.execPath, ...process.execArgv, program, ...command];
  const child = spawn('nice', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  signal.addEventListener('abort', () => child.kill(), { once: true });
  const [output, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (code !== 0 && !signal.aborted) throw new Error(`the backup was not made: ${output.trim()}`);
}
