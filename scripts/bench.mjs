// `npm run bench`: installs and builds what is missing or stale, then runs the benchmarks. Exits with 1
// if a bound is missed.
import { build, install, run } from './bootstrap.mjs';

install();
build();
run('node', ['bench/index.mjs', ...process.argv.slice(2)]);
