/** The rules of deploy/prometheus-rules.yaml, by promtool: each alert fires when it should, and not otherwise. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { walks } from '../../torture/alerts/walks.ts';
import { type AlertCase, alertCases } from './alert-cases.ts';

const rules = path.join(import.meta.dirname, '..', '..', 'deploy', 'prometheus-rules.yaml');
const isMissing = spawnSync('promtool', ['--version']).error !== undefined;
if (isMissing && process.env.CI) throw new Error('promtool must be installed');
const skip = isMissing && 'needs promtool';

function promtool(...args: string[]): void {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
  assert.equal(status, 0, `${stdout}${stderr}`);
}

/** A unit test of promtool: the alert as it must be then, or none. */
function toUnitTest(
  { alert, at = 20, labels, summary }: AlertCase,
  series: Record<string, string>,
  fires: boolean,
) {
  const annotations = { summary, runbook: `docs/operating.md#${alert.toLowerCase()}` };
  return {
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [
      {
        eval_time: `${at}m`,
        alertname: alert,
        exp_alerts: fires ? [{ exp_labels: labels, exp_annotations: annotations }] : [],
      },
    ],
  };
}

test('alerts: the rules are valid, and there is a case and a fault for each', { skip }, async () => {
  promtool('check', 'rules', rules);
  const names = [...(await readFile(rules, 'utf8')).matchAll(/^ +- alert: (\w+)$/gm)].map(([, name]) => name);
  assert.deepEqual(
    alertCases.map(({ alert }) => alert),
    names,
  );
  // `npm run torture -- alerts` causes the fault of each.
  assert.deepEqual(new Set(walks.map(({ alert }) => alert)), new Set(names));
});

test('alerts: each fires with its labels and texts, and not below its limit', { skip }, async (t) => {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'potluck-alerts-'));
  t.after(() => rm(directory, { recursive: true }));
  const file = path.join(directory, 'tests.json');
  const tests = alertCases.flatMap((each) => [
    toUnitTest(each, each.fires, true),
    toUnitTest(each, each.quiet, false),
  ]);
  await writeFile(file, JSON.stringify({ rule_files: [rules], evaluation_interval: '1m', tests }));
  promtool('test', 'rules', file);
});
