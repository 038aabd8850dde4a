import { homedir } from 'node:os';
import { exitCodes } from './exit-codes.js';
import type { Io } from './io.js';
import { version } from './version.js';

const argv = process.argv.slice(2);

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  // Scripts run this often, so it loads no other module.
  process.stdout.write(`${version}\n`);
} else {
  await run();
}

async function run(): Promise<void> {
  const [{ main }, { httpFetch }] = await Promise.all([
    import('./main.js'),
    import('./http-fetch.js'),
  ]);
  const interruption = new AbortController();
  const interrupt = () => {
    if (interruption.signal.aborted) process.exit(exitCodes.interrupted);
    interruption.abort(new Error('interrupted'));
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  const io: Io = {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    homeDirectory: homedir(),
    platform: process.platform,
    fetch: httpFetch,
    now: Date.now,
    interrupt: interruption.signal,
  };
  process.stdout.on('error', ignoreClosedPipe);
  process.stderr.on('error', ignoreClosedPipe);

  process.exitCode = await main(argv, io);
  // Unread input on stdin would keep the process alive.
  process.stdin.destroy();
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
