import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { api as routes } from '../../packages/server/src/api/api.js';
import type { Route } from '../../packages/server/src/contract/define-route.js';
import { type Caller, testOperatorKey } from '../../packages/server/test/api/start-server.js';
import {
  type SampleRequest,
  sampleRequests,
} from '../../packages/server/test/isolation/sample-requests.js';
import { World } from '../../packages/server/test/isolation/world.js';
import { readContract } from '../../scripts/read-contract.mjs';
import { scratchFolder } from '../lib/processes.js';

// Not a dependency, because its archive has 85 MB.
const specmatic = 'specmatic@2.55.1';
// Specmatic invents values. Cursors, instants, targets and ETags must not be invented. A request that waits
// takes long.
const untestable = ['at', 'wait', 'after', 'createdSince', 'createdUntil', 'targetUrl', 'If-Match'];

test('Specmatic finds no difference between the server and openapi.yaml', async () => {
  expect(spawnSync('java', ['-version']).status, 'Java 17 or newer is installed').toBe(0);
  const folder = scratchFolder();
  const world = await World.start();
  onTestFinished(() => world.api.stop());
  const examples = join(folder, 'examples');
  mkdirSync(examples);
  const { document, operations } = describeApi();
  for (const [id, exchange] of Object.entries(await exchangesOf(world, operations))) {
    const example = exampleOf(operations.get(id) as Operation, exchange);
    writeFileSync(join(examples, `${id}.json`), JSON.stringify(example));
  }
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
  const settings = settingsOf(world.api.server.url, folder, examples, world.api.token);
  writeFileSync(join(folder, 'specmatic.json'), JSON.stringify(settings));
  const output = await runSpecmatic(folder);

  // Its exit code does not show failures.
  const [, run, failures, errors] =
    /Tests run: (\d+), Successes: \d+, Failures: (\d+), WIP: \d+, Errors: (\d+)/.exec(output) ?? [];
  // With fewer tests, it would not cover the whole contract.
  expect(Number(run), output.slice(-5000)).toBeGreaterThan(90);
  const reasons = output.slice(output.lastIndexOf('Unsuccessful Scenarios:'));
  expect({ failures, errors }, reasons).toEqual({ failures: '0', errors: '0' });
});

interface Exchange {
  /** With the query. */
  readonly path?: string | undefined;
  readonly body?: unknown;
  readonly status?: number;
  readonly contentType?: string;
}

/** Returns a valid request of each operation, and the status of its response. */
async function exchangesOf(world: World, operations: ReadonlyMap<string, Operation>) {
  const { api } = world;
  const password = 'open sesame';
  const targetUrl = 'https://example.com/';
  const create = async (fields: object = {}) =>
    (await api.call('createUrl', { body: { targetUrl, ...fields } })).data;
  const { shortCode } = await create({ tags: ['renamed', 'deleted'] });
  const locked = await create({ isPasswordProtected: true, password });
  const qr = (await api.call('createQr', { body: { data: 'a text' } })).data;
  const receiver = { url: 'http://127.0.0.1:2/', events: ['qr.scan_threshold'] };
  const webhook = (await api.call('createWebhook', { body: receiver })).data;
  const exchanges: Record<string, Exchange> = {
    createToken: { body: api.credentials },
    getTlsAllowed: { path: '/internal/tls-allowed?domain=nobody.example.com', status: 404 },
    getDocsFile: { path: '/docs/swagger-ui.css', contentType: 'text/css' },
    downloadQr: { path: qr.downloadUrl, contentType: 'image/png' },
    previewQr: { path: qr.previewUrl },
    followLink: { path: `/${shortCode}`, status: 307 },
    // Specmatic sends this more than once, and two secrets are the most.
    rotateWebhookSecret: {
      path: `/api/v1/webhooks/${webhook.id}/rotate-secret`,
      body: { expireOldAfterSeconds: 0 },
    },
    // Specmatic takes no path that is percent-encoded.
    renameTag: { path: '/api/v1/tags/renamed', body: { name: 'new' } },
    deleteTag: { path: '/api/v1/tags/deleted' },
    unlockLink: { path: `/${locked.shortCode}`, body: { password }, status: 303 },
  };
  for (const id of operations.keys()) {
    if (exchanges[id]) continue;
    const route = (routes as readonly Route[]).find(
      ({ operationId }) => operationId === id,
    ) as Route;
    if (route.access === 'public') exchanges[id] = {};
    else {
      // The organization that Specmatic uses has not made this request.
      const { send } = await prepare(world, await world.newcomer(), route);
      const { status } = await send();
      const { path, body } = await prepare(world, api, route);
      exchanges[id] = { path, body: body && JSON.parse(body), status };
    }
  }
  return exchanges;
}

/** Creates the records that a request names. */
async function prepare(world: World, caller: Caller, route: Route) {
  const [request] = sampleRequests(route) as [SampleRequest];
  let body: object | undefined;
  if (route.operationId === 'takeDownUrl') {
    const link = await caller.call('createUrl', { body: { targetUrl: 'https://example.com/' } });
    body = { shortUrl: link.data.shortUrl, reason: 'phishing' };
  }
  return world.prepareOwn(caller, request, body && JSON.stringify(body));
}

/** Returns a partial example. Specmatic generates the rest, and checks the response by its schema. */
function exampleOf(operation: Operation, exchange: Exchange) {
  const { path = operation.path, body, status = 200, contentType } = exchange;
  const [target, search] = path.split('?');
  const content = operation.responses[status]?.content;
  return {
    partial: {
      'http-request': {
        method: operation.method.toUpperCase(),
        path: target,
        ...(search && { query: Object.fromEntries(new URLSearchParams(search)) }),
        ...(body !== undefined && { headers: { 'Content-Type': 'application/json' }, body }),
      },
      'http-response': {
        status,
        ...(contentType && { headers: { 'Content-Type': contentType } }),
        // The smallest example of a documented body.
        ...(content && { body: 'application/json' in content ? {} : 'text' }),
      },
    },
  };
}

async function runSpecmatic(cwd: string): Promise<string> {
  const command = ['-y', '--package', specmatic, 'specmatic', 'test', '--strict'];
  const child = spawn('npx', command, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  let output = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) output += chunk;
  return output;
}

function settingsOf(baseUrl: string, directory: string, examples: string, token: string) {
  const id = 'shorty';
  const securitySchemes = {
    accessToken: { type: 'bearer', token },
    operatorKey: { type: 'bearer', token: testOperatorKey },
  };
  const definition = { source: { filesystem: { directory } } };
  const specs = [{ spec: { id, path: 'openapi.json' } }];
  const runOptions = { type: 'test', baseUrl, specs: [{ spec: { id, securitySchemes } }] };
  return {
    version: 3,
    systemUnderTest: {
      service: {
        definitions: [{ definition: { ...definition, specs } }],
        runOptions: { openapi: runOptions },
        data: { examples: [{ directories: [examples] }] },
      },
    },
    // The examples only: the server's own tests send each field at and beyond its limits.
    specmatic: { settings: { test: { schemaResiliencyTests: 'none' } } },
  };
}

/** Returns the contract without what Specmatic cannot test, and its operations. */
function describeApi() {
  const document = readContract();
  const { parameters: named } = document.components;
  const operations = new Map<string, Operation>();
  // Specmatic takes the first element of an array for the type of all. JSON schemas have mixed arrays.
  for (const path of ['/openapi.json', '/api/v1/event-types']) delete document.paths[path];
  for (const [path, methods] of Object.entries<Record<string, Operation>>(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      // They need the cookie of a browser, and end it.
      if (operation.tags.includes('Sessions')) {
        delete document.paths[path];
        break;
      }
      operation.parameters = operation.parameters?.filter((parameter) => {
        const [id] =
          Object.entries(named).find(([, each]) => isDeepStrictEqual(each, parameter)) ?? [];
        // The filters of reports have thousands of combinations.
        return !untestable.includes(parameter.name) && !id?.endsWith('Filter');
      });
      // The second security scheme uses the same tokens. Specmatic would send each request once for each
      // scheme, and the second deletion of a record would fail.
      operation.security = operation.security.slice(0, 1);
      // Specmatic parses SVG into a tree, which no string schema matches.
      delete operation.responses[200]?.content?.['image/svg+xml'];
      operations.set(operation.operationId, { ...operation, method, path });
    }
  }
  return { document, operations };
}

interface Operation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly tags: readonly string[];
  parameters?: readonly { readonly name: string }[] | undefined;
  security: readonly unknown[];
  readonly responses: Record<number, { readonly content?: Record<string, unknown> }>;
}
