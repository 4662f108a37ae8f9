/** The rules for Prometheus and the dashboard for Grafana: each metric exists, and each alert has a paragraph in the guide. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'node:test';
import { expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const read = (file: string) => readFile(path.join(import.meta.dirname, '..', '..', file), 'utf8');

const matchesOf = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, found = '']) => found);

test('monitoring: the rules and the dashboard name only metrics that the server has', {
  skip: process.platform !== 'linux' && 'some metrics of the process exist on Linux alone',
}, async () => {
  const text: string = expectStatus(await api.get('/metrics'), 200).body;
  const metrics = [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].flatMap(([, name, type]) =>
    type === 'histogram' ? ['bucket', 'count', 'sum'].map((part) => `${name}_${part}`) : [name],
  );
  for (const file of ['deploy/prometheus-rules.yaml', 'deploy/grafana.json']) {
    const named = matchesOf(await read(file), /\b((?:potluck|nodejs|process)_\w+)/g);
    assert.ok(named.length > 10);
    assert.deepEqual(
      named.filter((name) => !metrics.includes(name)),
      [],
      file,
    );
  }
});

test('monitoring: each alert names the paragraph of the guide that has its name', async () => {
  const rules = await read('deploy/prometheus-rules.yaml');
  const alerts = matchesOf(rules, /^ +- alert: (\w+)$/gm);
  assert.ok(alerts.length > 10);
  assert.deepEqual(
    matchesOf(rules, /^ +runbook: (.*)$/gm),
    alerts.map((alert) => `docs/operating.md#${alert.toLowerCase()}`),
  );
  const chapter = (await read('docs/operating.md')).split('\n## Alerts\n')[1]?.split('\n## ')[0] ?? '';
  assert.deepEqual(matchesOf(chapter, /^### (\w+)$/gm).sort(), alerts.sort());
});

test('monitoring: the dashboard has a query in each panel, and places them without overlaps', async () => {
  type Panel = {
    title: string;
    type: string;
    targets?: object[];
    gridPos: { x: number; y: number; w: number };
  };
  const { panels } = JSON.parse(await read('deploy/grafana.json')) as { panels: Panel[] };
  for (const { title, type, targets = [], gridPos } of panels) {
    assert.equal(targets.length > 0, type !== 'row', title);
    assert.ok(gridPos.x + gridPos.w <= 24, title);
  }
  const places = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
  assert.equal(new Set(places).size, places.length);
});
