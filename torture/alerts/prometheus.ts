/** A Prometheus with the rules of deploy/, in which each minute is a second. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { replaceFile } from '#base';
import type { Server } from '../../test/support/processes.ts';
import { findFreePort } from '../failover/free-port.ts';
import type { ProgramContext } from '../program.ts';

export type Alert = {
  labels: Record<string, string>;
  annotations: { summary: string; runbook: string };
  state: 'pending' | 'firing';
};

export type Prometheus = {
  /** Scrapes these servers from now on. */
  watch(servers: Pick<Server, 'url'>[]): Promise<void>;
  /** The alerts that are pending or firing. */
  alerts(): Promise<Alert[]>;
  /** Evaluates an expression now. */
  query(expression: string): Promise<object[]>;
};

export const rules = await readFile(
  path.join(import.meta.dirname, '..', '..', 'deploy', 'prometheus-rules.yaml'),
  'utf8',
);

/** Turns the minutes of `for` and of ranges into seconds. All other numbers stay. */
const shorten = (text: string): string =>
  text.replace(/(?<=for: |\[)(\d+)([mh])\b/g, (_, n, unit) => `${Number(n) * (unit === 'h' ? 60 : 1)}s`);

const config = {
  global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
  rule_files: ['rules.yaml'],
  scrape_configs: [
    { job_name: 'potluck', file_sd_configs: [{ files: ['targets.json'], refresh_interval: '1s' }] },
  ],
};

/** Starts a Prometheus, which is stopped after the program. */
export async function openPrometheus({
  addCleanup,
}: Pick<ProgramContext, 'addCleanup'>): Promise<Prometheus> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'potluck-prometheus-'));
  const file = (name: string) => path.join(directory, name);
  const watch: Prometheus['watch'] = async (servers) => {
    const targets = servers.map(({ url }) => new URL(url).host);
    // Prometheus reads the file when it changes, so it gets the name when it is complete.
    await replaceFile(file('targets.json'), JSON.stringify([{ targets }]));
  };
  await writeFile(file('rules.yaml'), shorten(rules));
  // JSON is YAML.
  await writeFile(file('prometheus.yaml'), JSON.stringify(config));
  await watch([]);
  const address = `127.0.0.1:${await findFreePort()}`;
  const options = [
    `--config.file=${file('prometheus.yaml')}`,
    `--storage.tsdb.path=${file('data')}`,
    `--web.listen-address=${address}`,
    '--log.level=error',
  ];
  const child = spawn('prometheus', options, { stdio: ['ignore', 'ignore', 'inherit'] });
  addCleanup(async () => {
    if (child.kill()) await once(child, 'exit');
    await rm(directory, { recursive: true, force: true });
  });
  const get = async (route: string) => {
    const response = await fetch(`http://${address}${route}`);
    if (!response.ok) throw new Error(`${route}: ${await response.text()}`);
    return response;
  };
  while (!(await get('/-/ready').catch(() => null))) {
    if (child.exitCode !== null) throw new Error('Prometheus did not start');
    await sleep(100);
  }
  return {
    watch,
    alerts: async () =>
      ((await (await get('/api/v1/alerts')).json()) as { data: { alerts: Alert[] } }).data.alerts,
    async query(expression) {
      const response = await get(`/api/v1/query?query=${encodeURIComponent(expression)}`);
      return ((await response.json()) as { data: { result: object[] } }).data.result;
    },
  };
}
