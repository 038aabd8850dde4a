// `npm run bench`: set up what is missing or stale, then measure. Leaves with 1 if a bound is missed.
import { build, install, run } from './bootstrap.mjs';

install();
build();
run('node', ['bench/index.mjs', ...process.argv.slice(2)]);
