import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from './lib/api.js';
import { credentials, exitOf, freePort, root, scratchFolder, untilReady } from './lib/processes.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const traceparent = `00-${traceId}-${spanId}-01`;

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

interface Span {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code: number };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

const valuesOf = (attributes: readonly Attribute[]) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
  );

/** Starts a collector that accepts OTLP in JSON. With `hangs`, it never responds. */
async function startCollector({ hangs = false } = {}) {
  const received: { path: string | undefined; body: string }[] = [];
  const server = createServer(async (request, response) => {
    received.push({ path: request.url, body: await text(request) });
    if (!hangs) response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const exported = () => received.flatMap(({ body }) => (JSON.parse(body) as Export).resourceSpans);
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    resources: () => exported().map(({ resource }) => valuesOf(resource.attributes)),
    spans: () => exported().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
  };
}

async function start(environment: NodeJS.ProcessEnv) {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const child = spawn(
    process.execPath,
    [join(root, 'packages/server/bin/shorty-server.js'), 'start'],
    {
      env: {
        ...process.env,
        ...credentials,
        PORT: `${port}`,
        SHORTY_DATABASE_URL: `file:${join(scratchFolder(), 'shorty.db')}`,
        SHORTY_ACCESS_LOG: 'json',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  await untilReady(origin, child);
  const stop = async () => {
    const startedAt = performance.now();
    child.kill('SIGTERM');
    expect(await exitOf(child)).toBe(0);
    return performance.now() - startedAt;
  };
  return { origin, stop, stdout: () => stdout, stderr: () => stderr };
}

test('each request is a span, which continues the trace of the client', async () => {
  const collector = await startCollector();
  const server = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    // Longer than the test: the stop exports the spans.
    OTEL_BSP_SCHEDULE_DELAY: '600000',
  });
  const api = connect(server.origin);
  const { id, shortCode } = await api.urls.create({ targetUrl: 'https://example.com/target' });
  const visit = await fetch(`${server.origin}/${shortCode}?email=me@example.com`, {
    headers: { traceparent, 'user-agent': 'a-visitor' },
    redirect: 'manual',
  });
  expect(visit.status).toBe(307);
  expect((await fetch(`${server.origin}/unknown`)).status).toBe(404);
  await server.stop();

  expect(collector.received.map(({ path }) => path)).toEqual(
    collector.received.map(() => '/v1/traces'),
  );
  expect(collector.resources()[0]).toMatchObject({
    'service.name': 'shorty',
    'service.version': expect.stringMatching(/^\d/),
    'deployment.environment.name': 'test',
  });
  const spans = collector.spans();
  const find = (name: string) => spans.find((span) => span.name === name);

  const redirect = find('GET /{shortCode}');
  expect(redirect).toMatchObject({ kind: 2, traceId, parentSpanId: spanId });
  expect(valuesOf(redirect?.attributes ?? [])).toEqual({
    'http.request.method': 'GET',
    'http.route': '/{shortCode}',
    'http.response.status_code': 307,
    'network.protocol.version': '1.1',
    'shorty.request_id': visit.headers.get('x-request-id'),
    'shorty.organization_id': expect.any(String),
    'shorty.url_id': id,
  });
  const created = find('POST /api/v1/urls');
  expect(created?.parentSpanId).toBeUndefined();
  expect(valuesOf(created?.attributes ?? [])).toMatchObject({
    'http.route': '/api/v1/urls',
    'http.response.status_code': 201,
    'shorty.organization_id': valuesOf(redirect?.attributes ?? [])['shorty.organization_id'],
  });
  expect(valuesOf(find('GET')?.attributes ?? [])).toMatchObject({
    'http.response.status_code': 404,
  });
  for (const { body } of collector.received) {
    expect(body).not.toMatch(/me@example|a-visitor|\/target/);
  }

  // The lines of a request that has no trace of its client contain the trace that began here.
  const lines = server
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  const access = lines.map((line) => JSON.parse(line));
  expect(access.find(({ path }) => path === `/${shortCode}`)).toMatchObject({ traceId });
  expect(access.find(({ path }) => path === '/api/v1/urls')).toMatchObject({
    traceId: created?.traceId,
  });
  expect(server.stderr()).toContain(`"traceId":"${created?.traceId}"`);
});

test('a collector that hangs delays the stop by at most a second, and is reported', async () => {
  const collector = await startCollector({ hangs: true });
  const server = await start({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.origin}/v1/traces`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  });
  await fetch(`${server.origin}/unknown`);
  await server.stop();
  expect(server.stderr()).toContain('the last spans were not exported');
  expect(server.stderr()).toContain('the collector did not respond within 1000 ms');
});

test.each([
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'set', OTEL_SDK_DISABLED: 'true' },
  { OTEL_EXPORTER_OTLP_ENDPOINT: 'set', OTEL_TRACES_EXPORTER: 'none' },
  {},
])('no span is exported with %o', async (environment) => {
  const collector = await startCollector();
  const isSet = 'OTEL_EXPORTER_OTLP_ENDPOINT' in environment;
  const server = await start({
    ...environment,
    ...(isSet && { OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin }),
  });
  await fetch(`${server.origin}/unknown`, { headers: { traceparent } });
  await server.stop();
  expect(collector.received).toEqual([]);
  // The trace id of the client is in the log without an exporter, too.
  expect(server.stdout()).toContain(`"traceId":"${traceId}"`);
});
