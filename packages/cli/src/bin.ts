import { homedir } from 'node:os';
import { exitCodes } from './cli-error.js';
import type { Io } from './io.js';
import { version } from './version.js';

const argv = process.argv.slice(2);
process.stdout.on('error', endOnWriteError);
process.stderr.on('error', endOnWriteError);

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  // Scripts run this often, so it loads no other module.
  process.stdout.write(`${version}\n`);
} else {
  await run();
}

async function run(): Promise<void> {
  const [{ main }, fetch] = await Promise.all([import('./main.js'), loadFetch()]);
  const interruption = new AbortController();
  let endedBy: NodeJS.Signals | undefined;
  const interrupt = (signal: NodeJS.Signals) => {
    if (endedBy) process.exit(exitCodeOf(signal));
    endedBy = signal;
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
    fetch,
    now: Date.now,
    interrupt: interruption.signal,
  };
  const exitCode = await main(argv, io);
  if (endedBy && exitCode === exitCodes.interrupted) endBy(endedBy);
  else process.exitCode = exitCode;
  // Unread input on stdin would keep the process alive.
  process.stdin.destroy();
}

async function loadFetch(): Promise<typeof globalThis.fetch> {
  const isProxied = Object.keys(process.env).some((name) => /^(?:https?|all)_proxy$/i.test(name));
  if (!isProxied) return globalThis.fetch;
  return (await import('./proxy-fetch.js')).createProxyFetch(process.env);
}

function exitCodeOf(signal: NodeJS.Signals): number {
  return signal === 'SIGTERM' ? exitCodes.terminated : exitCodes.interrupted;
}

/** Ends the process after Ctrl-C or SIGTERM. */
function endBy(signal: NodeJS.Signals): void {
  // A shell ends a loop on Ctrl-C only if the signal itself terminates the command.
  if (signal === 'SIGINT' && process.stderr.isTTY) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  process.exitCode = exitCodeOf(signal);
}

/** Ignores a closed pipe. Any other failure to write, such as a full disk, ends the process. */
function endOnWriteError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`shorty: the output cannot be written: ${error.message}\n`);
  process.exit(exitCodes.failed);
}
