// `npm run specmatic`: Specmatic, which knows openapi.yaml and nothing else of us, calls a server.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, fail, install, note, root } from './bootstrap.mjs';
import { writeExamples } from './specmatic-examples.mjs';

// Its archive has 85 MB: who does not run this does not load it.
const specmatic = 'specmatic@2.55.1';

if (spawnSync('java', ['-version']).status !== 0) {
  fail('Specmatic needs Java 17 or newer, and there is none: apt-get install openjdk-17-jre-headless');
}
install();
build();

const { createServer } = await import('@shorty/server');
const { parse } = createRequire(join(root, 'packages/server/package.json'))('yaml');
const scratch = mkdtempSync(join(tmpdir(), 'shorty-specmatic-'));
const server = createServer({ allowPrivateNetwork: true });
try {
  await server.start();
  note('Specmatic calls every operation');
  const output = await run();
  process.exitCode = judge(output);
} finally {
  await server.stop();
  rmSync(scratch, { recursive: true, force: true });
}

async function run() {
  const examples = join(scratch, 'examples');
  const { document, operations } = describeApi();
  const token = await writeExamples(server, operations, examples);
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
          openapi: { type: 'test', baseUrl: server.url, specs: [{ spec: { id, securitySchemes } }] },
        },
        data: { examples: [{ directories: [examples] }] },
      },
    },
    specmatic: { settings: { test: { schemaResiliencyTests: process.env.RESILIENCY ?? 'none', maxTestRequestCombinations: Number(process.env.COMBINATIONS ?? 10) } } },
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
      return [operation.operationId, { ...operation, method, path }];
    }),
  );
  return { document, operations: new Map(operations) };
}

/** Its exit code does not tell: it says so in a line. */
function judge(output) {
  const [line, run, failed, errors] =
    /Tests run: (\d+), Successes: \d+, Failures: (\d+), WIP: \d+, Errors: (\d+)/.exec(output) ?? [];
  if (!line) {
    console.log(output.slice(-5000));
    fail('Specmatic has not told how many tests it has run');
  }
  const isGood = Number(run) > 0 && Number(failed) + Number(errors) === 0;
  if (!isGood) console.log(output.slice(output.lastIndexOf('Unsuccessful Scenarios:')));
  console.log(line);
  return isGood ? 0 : 1;
}
