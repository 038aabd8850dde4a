// `npm run specmatic`: Specmatic, which knows openapi.yaml and nothing else of us, calls a server.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, fail, install, note, root } from './bootstrap.mjs';
import { expectedFailures, writeExamples } from './specmatic-examples.mjs';

// Its archive has 85 MB: who does not run this does not load it.
const specmatic = 'specmatic@2.55.1';
// Fewer would mean that it has found less of our contract than there is.
const leastTests = 400;

if (spawnSync('java', ['-version']).status !== 0) {
  fail(
    'Specmatic needs Java 17 or newer, and there is none: apt-get install openjdk-17-jre-headless',
  );
}
install();
build();

const { createServer } = await import('@shorty/server');
const { parse } = createRequire(join(root, 'packages/server/package.json'))('yaml');
const scratch = mkdtempSync(join(tmpdir(), 'shorty-specmatic-'));
const challenges = [];
const server = createServer({
  allowPrivateNetwork: true,
  // Every TXT record is set as it was asked for.
  resolveTxt: async () => challenges,
});
const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
const logos = createHttpServer((_, response) => response.end(logo)).listen(0, '127.0.0.1');
try {
  await once(logos, 'listening');
  await server.start();
  note('Specmatic calls every operation');
  const faults = faultsOf(await run());
  for (const fault of faults) console.log(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await server.stop();
  logos.close();
  rmSync(scratch, { recursive: true, force: true });
}

async function run() {
  const examples = join(scratch, 'examples');
  const logoUrl = `http://127.0.0.1:${logos.address().port}/logo.svg`;
  const { document, operations } = describeApi();
  const token = await writeExamples(server, operations, examples, { challenges, logoUrl });
  writeFileSync(join(scratch, 'openapi.json'), JSON.stringify(document));
  writeFileSync(join(scratch, 'specmatic.json'), JSON.stringify(settings(examples, token)));
  const command = ['-y', '--package', specmatic, 'specmatic', 'test', '--strict'];
  const child = spawn('npx', command, { cwd: scratch, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) output += chunk;
  return output;
}

function settings(examples, token) {
  const source = { filesystem: { directory: scratch } };
  const id = 'shorty';
  const securitySchemes = { accessToken: { type: 'bearer', token } };
  return {
    version: 3,
    systemUnderTest: {
      service: {
        definitions: [{ definition: { source, specs: [{ spec: { id, path: 'openapi.json' } }] } }],
        runOptions: {
          openapi: {
            type: 'test',
            baseUrl: server.url,
            specs: [{ spec: { id, securitySchemes } }],
          },
        },
        data: { examples: [{ directories: [examples] }] },
      },
    },
    // One request of each kind, good and bad; their products would take hours.
    specmatic: {
      settings: { test: { schemaResiliencyTests: 'all', maxTestRequestCombinations: 1 } },
    },
  };
}

/** What Specmatic is not shown, each with the reason. */
function leaveOut(operation) {
  // The second security scheme names the same tokens. Every call would be made once for each, and
  // what is deleted cannot be deleted again.
  operation.security = operation.security.slice(0, 1);
  // It reads XML as a tree, which no schema of a text can allow.
  delete operation.responses[200]?.content?.['image/svg+xml'];
}

function describeApi() {
  const document = parse(readFileSync(join(root, 'openapi.yaml'), 'utf8'));
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      leaveOut(operation);
      const responses = Object.fromEntries(
        Object.entries(operation.responses).map(([status, response]) => [
          status,
          document.components.responses[response.$ref?.split('/').at(-1)] ?? response,
        ]),
      );
      return [operation.operationId, { ...operation, responses, method, path }];
    }),
  );
  return { document, operations: new Map(operations) };
}

/** What is wrong, a line each. Specmatic's exit code does not tell; what it says at its end does. */
function faultsOf(output) {
  const [, run, failures, errors] =
    /Tests run: (\d+), Successes: \d+, Failures: (\d+), WIP: \d+, Errors: (\d+)/.exec(output) ?? [];
  if (run === undefined)
    return [`it has not told how many tests it has run:\n${output.slice(-5000)}`];
  const failed = [...output.matchAll(/^ {2}"(.+) FAILED"$/gm)].map(([, scenario]) => scenario);
  const unexpected = failed.filter((name) => !expectedFailures.some((each) => each.test(name)));
  const outdated = expectedFailures.filter((each) => !failed.some((name) => each.test(name)));
  note(
    `Specmatic has run ${run} tests; ${failed.length} fail, ${unexpected.length} of them unexpectedly`,
  );
  return [
    ...(Number(run) < leastTests ? [`it has run ${run} tests, not ${leastTests} or more`] : []),
    ...(failed.length !== Number(failures) + Number(errors)
      ? ['it has not named every failure']
      : []),
    ...outdated.map((each) => `expected to fail, and does not: ${each}`),
    ...unexpected.map((name) => `failed: ${name}`),
    ...(unexpected.length > 0 ? [output.slice(output.lastIndexOf('Unsuccessful Scenarios:'))] : []),
  ];
}
