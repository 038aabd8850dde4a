// `npm test` and `npm run test:more`: install and build what is missing or stale, then run the first or
// the second stage of the tests, or the projects that `--project` names. Arguments go to vitest.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { binary, build, install, root, run } from './bootstrap.mjs';

const args = process.argv.slice(2);
const isSecond = args[0] === '--more';
if (isSecond) {
  args.shift();
  // The folder of the programs that tests start, each by the name of its file.
  const stdio = ['ignore', 'pipe', 'inherit'];
  const folder = execFileSync(join(root, '.ci/tools'), { encoding: 'utf8', stdio });
  process.env.SHORTY_TOOLS ??= folder.trim();
}
if (!args.some((arg) => arg.startsWith('--project'))) {
  args.unshift(`--project=${isSecond ? '' : '!'}more-*`);
}
install();
build();
run(binary('vitest'), ['run', ...args]);
