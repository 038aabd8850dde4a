// `npm test`: set up what is missing or stale, then run every test.
import { binary, build, install, run } from './bootstrap.mjs';

install();
build();
run(binary('vitest'), ['run', ...process.argv.slice(2)]);
