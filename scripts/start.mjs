// `npm start`: installs and builds what is missing or stale, then runs the server.
import { spawn } from 'node:child_process';
import { build, install, root } from './bootstrap.mjs';
import { nodeArguments, processEnvironment } from './server-process.mjs';

install();
build();
const server = spawn(
  process.execPath,
  [
    ...nodeArguments,
    'packages/server/bin/shorty-server.js',
    'start',
    '--create',
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: 'inherit', env: { ...processEnvironment, ...process.env } },
);
// The terminal sends Ctrl-C to both processes; the server decides when it has finished.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => server.kill('SIGTERM'));
server.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
