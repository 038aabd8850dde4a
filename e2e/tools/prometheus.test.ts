import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startUpstream } from '../lib/operator-paths.js';
import { freePort, root, scratchFolder, startTool, tool } from '../lib/processes.js';

interface Rule {
  readonly name: string;
  readonly query: string;
  readonly health: string;
  readonly state: string;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

const rulesFile = join(root, 'examples/prometheus-alerts.yaml');
const dashboard: { readonly panels: readonly Panel[] } = JSON.parse(
  readFileSync(join(root, 'examples/grafana-dashboard.json'), 'utf8'),
);

/** Starts a Prometheus that scrapes a server each second. Returns a function that calls its API. */
async function startPrometheus(target: string) {
  const folder = scratchFolder();
  copyFileSync(rulesFile, join(folder, 'prometheus-alerts.yaml'));
  const config = join(folder, 'prometheus.yml');
  writeFileSync(
    config,
    `global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [prometheus-alerts.yaml]
scrape_configs:
  - job_name: shorty
    static_configs: [{ targets: ['${target}'] }]
`,
  );
  const port = await freePort();
  const flags = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'data')}`];
  await startTool('prometheus', [...flags, `--web.listen-address=127.0.0.1:${port}`], port);
  return async (path: string, query: Record<string, string> = {}) => {
    const url = `http://127.0.0.1:${port}/api/v1/${path}?${new URLSearchParams(query)}`;
    const response = await fetch(url);
    const body = await response.json();
    expect(body, path).toMatchObject({ status: 'success' });
    return body.data;
  };
}

test('promtool accepts the alert rules, and the names of the metrics', async () => {
  const rules = spawnSync(tool('promtool'), ['check', 'rules', '--lint-fatal', rulesFile], {
    encoding: 'utf8',
  });
  expect(rules).toMatchObject({ status: 0, stdout: expect.stringContaining('SUCCESS: ') });
  const { upstream } = await startUpstream();
  const metrics = await (await fetch(`http://${upstream}/metrics`)).text();
  const check = spawnSync(tool('promtool'), ['check', 'metrics'], {
    input: metrics,
    encoding: 'utf8',
  });
  expect(check).toMatchObject({ status: 0, stderr: '' });
});

test('Prometheus evaluates each alert and each query of the dashboard', async () => {
  const { upstream, shorty } = await startUpstream();
  const call = await startPrometheus(upstream);
  const { shortCode } = await shorty.urls.create({ targetUrl: 'https://example.com/' });
  for (const path of [shortCode, 'unknown']) {
    await fetch(`http://${upstream}/${path}`, { redirect: 'manual' });
  }
  const readRules = async (): Promise<readonly Rule[]> =>
    (await call('rules').catch(() => ({ groups: [] }))).groups.flatMap(
      ({ rules }: { rules: readonly Rule[] }) => rules,
    );
  const states = async () =>
    new Set((await readRules()).map(({ health, state }) => `${health} ${state}`));
  await expect.poll(states).toEqual(new Set(['ok inactive']));

  // A rule whose metric does not exist is never active either, so each metric must have a value.
  const rules = await readRules();
  const metrics = new Set(
    rules.flatMap(({ query }) => query.match(/\b(?:shorty|nodejs|process)_\w+/g) ?? []),
  );
  expect(metrics.size).toBeGreaterThan(10);
  const hasResult = async (query: string) => (await call('query', { query })).result.length > 0;
  for (const metric of metrics) {
    await expect.poll(() => hasResult(metric), { message: metric }).toBe(true);
  }
  for (const { title, targets } of dashboard.panels) {
    for (const { expr } of targets) {
      const query = expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*');
      await expect.poll(() => hasResult(query), { message: `${title}: ${query}` }).toBe(true);
    }
  }

  const visits = async (status: string) => {
    const query = `shorty_link_responses_total{status="${status}"}`;
    return (await call('query', { query })).result[0]?.value[1];
  };
  await expect.poll(() => visits('307')).toBe('1');
  await expect.poll(() => visits('404')).toBe('1');
  expect(await visits('410')).toBe('0');

  const incomplete = rules.filter(
    ({ annotations: { summary, description } }) => !summary || !description,
  );
  expect(incomplete).toEqual([]);
});
