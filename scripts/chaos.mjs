// `npm run chaos`: installs and builds what is missing or stale, then attacks a server. Exits with 1
// when a bound is missed.
import { build, install, run } from './bootstrap.mjs';

install();
build();
run('node', ['e2e/faults/chaos/index.mjs', ...process.argv.slice(2)]);
