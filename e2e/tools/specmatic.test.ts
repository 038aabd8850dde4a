import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createServer } from '@shorty/server';
import { expect, onTestFinished, test } from 'vitest';
import { readContract } from '../../scripts/read-contract.mjs';
import { scratchFolder } from '../lib/processes.js';
import { writeExamples } from './specmatic-examples.mjs';

// Not a dependency, because its archive has 85 MB.
const specmatic = 'specmatic@2.55.1';
// Specmatic invents values. Cursors, instants, targets and ETags must not be invented. A request that waits
// takes long.
const untestable = ['at', 'wait', 'after', 'createdSince', 'createdUntil', 'targetUrl', 'If-Match'];
const operatorKey = 'operator-key-of-specmatic-0123456789';

test('Specmatic finds no difference between the server and openapi.yaml', async () => {
  expect(spawnSync('java', ['-version']).status, 'Java 17 or newer is installed').toBe(0);
  const folder = scratchFolder();
  const challenges: string[] = [];
  const server = createServer({
    operatorKey,
    allowPrivateNetwork: true,
    // Every domain has its required TXT record.
    resolveTxt: async () => challenges,
  });
  await server.start();
  onTestFinished(() => server.stop());
  const examples = join(folder, 'examples');
  const { document, operations } = describeApi();
  const token = await writeExamples(server, operations, examples, {
    challenges,
    logoUrl: await serveLogo(),
    operatorKey,
  });
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document));
  const settings = settingsOf(server.url, folder, examples, token);
  writeFileSync(join(folder, 'specmatic.json'), JSON.stringify(settings));
  const output = await runSpecmatic(folder);

  // Its exit code does not show failures.
  const [, run, failures, errors] =
    /Tests run: (\d+), Successes: \d+, Failures: (\d+), WIP: \d+, Errors: (\d+)/.exec(output) ?? [];
  // With fewer tests, it would not cover the whole contract.
  expect(Number(run), output.slice(-5000)).toBeGreaterThan(100);
  const reasons = output.slice(output.lastIndexOf('Unsuccessful Scenarios:'));
  expect({ failures, errors }, reasons).toEqual({ failures: '0', errors: '0' });
});

async function serveLogo(): Promise<string> {
  const rectangle = '<rect width="9" height="9"/>';
  const logo = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${rectangle}</svg>`;
  const logos = createHttpServer((_, response) => response.end(logo));
  await new Promise<void>((resolve) => logos.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void logos.close());
  return `http://127.0.0.1:${(logos.address() as AddressInfo).port}/logo.svg`;
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
    operatorKey: { type: 'bearer', token: operatorKey },
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
  const operations = new Map();
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
  readonly tags: readonly string[];
  parameters?: readonly { readonly name: string }[] | undefined;
  security: readonly unknown[];
  readonly responses: Record<number, { readonly content?: Record<string, unknown> }>;
}
