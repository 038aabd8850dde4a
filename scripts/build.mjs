// `npm run build`: installs and builds what is missing or stale, then runs the command of its arguments.
import { build, install, run } from './bootstrap.mjs';

install();
build();
const [command, ...args] = process.argv.slice(2);
if (command) run(command, args);
