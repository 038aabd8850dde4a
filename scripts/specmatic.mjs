// `npm run specmatic`: runs Specmatic, a third-party tool that tests a server against openapi.yaml.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { build, fail, install, note } from './bootstrap.mjs';
import { expectedFailures, writeExamples } from './specmatic-examples.mjs';

// Not a dependency, because its archive has 85 MB.
const specmatic = 'specmatic@2.55.1';
// With fewer tests, Specmatic would not cover the whole contract.
const minTests = 400;
// Specmatic invents values, and sends each combination of query parameters. Cursors, instants, targets and
// ETags must not be invented. A request that waits takes long.
const untestableParameters = [
  'at',
  'wait',
  'after',
  'createdSince',
  'createdUntil',
  'targetUrl',
  'If-Match',
];

if (spawnSync('java', ['-version']).status !== 0) {
  fail(
    'Specmatic needs Java 17 or newer, which is not installed: apt-get install openjdk-17-jre-headless',
  );
}
install();
build();

const { createServer } = await import('@shorty/server');
const { readContract } = await import('./read-contract.mjs');
const scratch = mkdtempSync(join(tmpdir(), 'shorty-specmatic-'));
const challenges = [];
const operatorKey = 'operator-key-of-specmatic-0123456789';
const server = createServer({
  operatorKey,
  allowPrivateNetwork: true,
  // Every domain has its required TXT record.
  resolveTxt: async () => challenges,
});
const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
const logos = createHttpServer((_, response) => response.end(logo)).listen(0, '127.0.0.1');
try {
  await once(logos, 'listening');
  await server.start();
  note('Specmatic calls every operation');
  const errors = errorsOf(await run());
  for (const error of errors) console.log(error);
  process.exitCode = errors.length === 0 ? 0 : 1;
} finally {
  await server.stop();
  logos.close();
  rmSync(scratch, { recursive: true, force: true });
}

async function run() {
  const examples = join(scratch, 'examples');
  const logoUrl = `http://127.0.0.1:${logos.address().port}/logo.svg`;
  const { document, operations } = describeApi();
  const token = await writeExamples(server, operations, examples, {
    challenges,
    logoUrl,
    operatorKey,
  });
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
  const securitySchemes = {
    accessToken: { type: 'bearer', token },
    operatorKey: { type: 'bearer', token: operatorKey },
  };
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
    // One request for each field, valid and invalid. Combinations of fields would take hours.
    specmatic: {
      settings: { test: { schemaResiliencyTests: 'all', maxTestRequestCombinations: 1 } },
    },
  };
}

/** Removes the parts of an operation that Specmatic cannot test. */
function removeUntestable(operation, { parameters }) {
  operation.parameters = operation.parameters?.filter((parameter) => {
    const [id] =
      Object.entries(parameters).find(([, each]) => isDeepStrictEqual(each, parameter)) ?? [];
    // The filters of reports have thousands of combinations.
    return !untestableParameters.includes(parameter.name) && !id?.endsWith('Filter');
  });
  // The second security scheme uses the same tokens. Specmatic would send each request once for each
  // scheme, and the second deletion of a record would fail.
  operation.security = operation.security.slice(0, 1);
  // Specmatic parses SVG into a tree, which no string schema matches.
  delete operation.responses[200]?.content?.['image/svg+xml'];
}

function describeApi() {
  const document = readContract();
  // They need the cookie of a browser, and end it.
  for (const [path, methods] of Object.entries(document.paths)) {
    if (Object.values(methods).some(({ tags }) => tags.includes('Sessions'))) {
      delete document.paths[path];
    }
  }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      removeUntestable(operation, document.components);
      return [operation.operationId, { ...operation, method, path }];
    }),
  );
  return { document, operations: new Map(operations) };
}

/** Returns the errors in Specmatic's output. Its exit code does not show expected failures. */
function errorsOf(output) {
  const [, run, failures, errors] =
    /Tests run: (\d+), Successes: \d+, Failures: (\d+), WIP: \d+, Errors: (\d+)/.exec(output) ?? [];
  if (run === undefined) return [`the output has no summary of the tests:\n${output.slice(-5000)}`];
  // A name may contain line breaks: in an invented text, or anywhere in a long line. Without white space,
  // a broken word is whole.
  const names = output.matchAll(/^ {2}"([+-]ve [\s\S]*?)"\s+Reason:/gm);
  const failed = [...names].map(([, name]) => name.replaceAll(/\s/g, '').replace(/FAILED$/, ''));
  const expected = expectedFailures.map(({ source }) => new RegExp(source.replaceAll(' ', '')));
  const unexpected = failed.filter((name) => !expected.some((each) => each.test(name)));
  const outdated = expected.filter((each) => !failed.some((name) => each.test(name)));
  note(
    `Specmatic ran ${run} tests: ${failed.length} failed, ${unexpected.length} of them unexpectedly`,
  );
  const count = Number(failures) + Number(errors);
  const isIncomplete = Number(run) < minTests || failed.length !== count;
  return [
    ...(Number(run) < minTests ? [`it ran ${run} tests: at least ${minTests} are required`] : []),
    ...(failed.length !== count ? [`the output names ${failed.length} of ${count} failures`] : []),
    ...outdated.map((each) => `expected to fail, but passed: ${each}`),
    ...unexpected.map((name) => `failed: ${name}`),
    ...(unexpected.length > 0 || isIncomplete
      ? [output.slice(output.lastIndexOf('Unsuccessful Scenarios:'))]
      : []),
  ];
}
