// `npm run test:more`: installs and builds what is missing or stale, then runs the second stage of
// the tests: repeated faults, the remaining suites on PostgreSQL, and third-party tools.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './bootstrap.mjs';
import { runTests } from './run-tests.mjs';

// They print the path of a program or of a folder, and fetch Debian's package when none is installed.
process.env.SHORTY_CADDY ??= pathFrom('.ci/caddy');
process.env.SHORTY_NGINX ??= pathFrom('.ci/nginx');
process.env.SHORTY_PROMETHEUS ??= pathFrom('.ci/prometheus');
process.env.SHORTY_REDIS ??= pathFrom('.ci/redis');
process.env.SHORTY_PGBOUNCER ??= pathFrom('.ci/pgbouncer');
process.env.SHORTY_OLDEST_POSTGRES ??= pathFrom('.ci/postgres');
process.env.SHORTY_SHELLS ??= pathFrom('.ci/shells');
process.env.SHORTY_LANGUAGES ??= pathFrom('.ci/languages');
runTests(['more-*']);

function pathFrom(script) {
  const stdio = ['ignore', 'pipe', 'inherit'];
  return execFileSync(join(root, script), { encoding: 'utf8', stdio }).trim();
}
