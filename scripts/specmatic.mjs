// `npm run specmatic`: Specmatic, which knows openapi.yaml and nothing else of us, calls a server.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, fail, install, note, root } from './bootstrap.mjs';
import { writeExamples } from './specmatic-examples.mjs';

// Its jar is 85 MB: whoever does not run this does not load it.
const specmatic = 'specmatic@2.55.1';

const java = spawnSync('java', ['-version'], { encoding: 'utf8' });
if (java.error || java.status !== 0) {
  fail(
    'Specmatic needs Java 17 or newer, and there is none (apt-get install openjdk-17-jre-headless)',
  );
}
install();
build();

const { createServer } = await import('@shorty/server');
const scratch = mkdtempSync(join(tmpdir(), 'shorty-specmatic-'));
const server = createServer({ allowPrivateNetwork: true });
let output;
try {
  await server.start();
  const { accessToken, directory } = await writeExamples(server, join(scratch, 'examples'));
  writeFileSync(join(scratch, 'specmatic.json'), JSON.stringify(settings(directory, accessToken)));
  output = await callSpecmatic();
} finally {
  await server.stop();
  if (!process.env.KEEP) rmSync(scratch, { recursive: true, force: true });
}
