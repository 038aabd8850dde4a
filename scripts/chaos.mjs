// `npm run chaos`: set up what is missing or stale, then attack. Exits with 1 when a bound is missed.
import { build, install, run } from './bootstrap.mjs';

install();
build();
run('node', ['chaos/index.mjs', ...process.argv.slice(2)]);
