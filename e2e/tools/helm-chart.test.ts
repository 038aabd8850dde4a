import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { root, tool } from '../lib/processes.js';

const chart = join(root, 'deploy/helm');
const values = {
  image: { repository: 'registry.example/shorty' },
  baseUrl: 'https://sho.example',
  trustProxy: '10.0.0.0/8',
  secrets: { SHORTY_DATABASE_URL: 'postgres://shorty:secret@db.example/shorty' },
};

/** Returns a folder within the project, from which TypeScript finds the types of Kubernetes. */
function newFolder(): string {
  const folder = mkdtempSync(join(root, 'e2e/node_modules/helm-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function runHelm(args: readonly string[], changes: object) {
  const file = join(newFolder(), 'values.json');
  writeFileSync(file, JSON.stringify({ ...values, ...changes }));
  return spawnSync(tool('helm'), [...args, chart, '--values', file], { encoding: 'utf8' });
}

/** Renders the chart. Returns its objects. */
function render(changes: object = {}) {
  const { status, stdout, stderr } = runHelm(['template', 'links'], changes);
  expect(status, stderr).toBe(0);
  return parseAllDocuments(stdout).flatMap((document) => document.toJS() ?? []);
}

const all = {
  settings: { SHORTY_LOG_LEVEL: 'warn', SHORTY_FORWARD_QUERY: '1' },
  image: { ...values.image, tag: '1.2.3', pullSecrets: [{ name: 'registry' }] },
  ingress: {
    enabled: true,
    className: 'nginx',
    annotations: { 'nginx.ingress.kubernetes.io/proxy-body-size': '5m' },
    hosts: ['go.example.com', 'sho.example'],
    tlsSecret: 'tls',
  },
  podAnnotations: { 'prometheus.io/port': '3001' },
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'links', operator: 'Exists' }],
  affinity: { podAntiAffinity: {} },
};

it('has objects that Kubernetes accepts, with the required values, all values, or a secret that exists', () => {
  const objects = [{}, all, { secrets: {}, existingSecret: 'shorty' }].flatMap((changes) => {
    const lint = runHelm(['lint', '--strict'], changes);
    expect(lint.status, lint.stdout).toBe(0);
    return render(changes);
  });
  // The types refuse fields that do not exist, and values of another type.
  const declarations = objects.map(({ apiVersion, kind, ...fields }, index) => {
    const module = apiVersion.replace(/\.k8s\.io\//, '/').replace(/^v1$/, 'core/v1');
    const object = JSON.stringify({ apiVersion, kind, ...fields }, null, 1);
    return `export const object${index}: import('kubernetes-types/${module}').${kind} = ${object};\n`;
  });
  const file = join(newFolder(), 'objects.ts');
  writeFileSync(file, declarations.join(''));
  const tsc = join(root, 'node_modules/.bin/tsc');
  const flags = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
  ];
  const { status, stdout } = spawnSync(tsc, [...flags, file], { encoding: 'utf8' });
  expect(status, stdout).toBe(0);
});

it('runs nodes and the job as the image does, and without privileges', () => {
  const objects = render(all);
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  for (const line of ['USER node', 'VOLUME /data', 'EXPOSE 3000']) {
    expect(dockerfile.split('\n')).toContain(line);
  }
  const [node, job] = ['Deployment', 'Job'].map((kind) => {
    const { spec } = objects.find((object) => object.kind === kind).spec.template;
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      // That of `node` in the images of Node.
      securityContext: { runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 },
    });
    const [container] = spec.containers;
    expect(container).toMatchObject({
      image: 'registry.example/shorty:1.2.3',
      securityContext: { readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    });
    const settings = readFileSync(join(root, 'docs/reference/settings.md'), 'utf8');
    for (const { name } of container.env) expect(settings).toContain(`\`${name}\``);
    return container;
  });
  expect(job.args).toEqual(['migrate']);
  expect(node.args).toBeUndefined();
  expect(node.ports.map((port: { containerPort: number }) => port.containerPort)).toEqual([
    3000, 3001,
  ]);
  expect(node.volumeMounts.map((mount: { mountPath: string }) => mount.mountPath)).toEqual([
    '/data',
    '/tmp',
  ]);
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
    expect(node[probe].httpGet).toMatchObject({ port: 'admin' });
  }
});

it('leads the host of the base URL and custom domains to the nodes, once each', () => {
  const objects = render(all);
  const find = (kind: string) => objects.find((object) => object.kind === kind);
  const { spec } = find('Ingress');
  const hosts = ['sho.example', 'go.example.com'];
  expect(spec.rules.map((rule: { host: string }) => rule.host)).toEqual(hosts);
  expect(spec.tls).toEqual([{ secretName: 'tls', hosts }]);
  const { labels } = find('Deployment').spec.template.metadata;
  expect(labels).toMatchObject(find('Service').spec.selector);
  // Otherwise the service would have the pod of the job.
  expect(find('Job').spec.template.metadata.labels).not.toMatchObject(
    find('Service').spec.selector,
  );
});

it.each([
  [{ trustProxy: '' }, 'trustProxy'],
  [{ secrets: { SHORTY_DATABASE_URL: 'file:/data/shorty.db' } }, 'SHORTY_DATABASE_URL'],
  [{ settings: { SHORTY_FORWARD_QUERY: 1 } }, 'SHORTY_FORWARD_QUERY'],
  [{ replica: 3 }, 'replica'],
])('refuses %j', (changes, name) => {
  const { status, stderr } = runHelm(['template', 'links'], changes);
  expect([status, stderr]).toEqual([1, expect.stringContaining(name)]);
});
