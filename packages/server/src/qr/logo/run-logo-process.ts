import { type ExecFileException, execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { constants, getPriority, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { truncateText } from '../../contract/truncate-text.js';
import { LogoError } from './logo-error.js';
import {
  type LogoProcessLimits,
  type LogoRaster,
  logoExitCodes,
  logoLimits,
  logoProcessLimits,
} from './logo-limits.js';

/** The logo process failed, and the image is not the cause. */
export class LogoProcessError extends Error {
  override readonly name = 'LogoProcessError';
}

export interface RunLogoProcessOptions {
  /** Kills the process; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly limits?: LogoProcessLimits;
  /** The program and its arguments. */
  readonly command?: readonly [string, ...string[]];
  /** A shell that sets limits and then executes the program. Undefined starts the program directly. */
  readonly shell?: string | undefined;
  readonly onStarted?: (processId: number) => void;
}

const memoryCheckMs = 50;
const maxStderrLength = 2000;
const maxReasonLength = 1000;
// The byte that reports that the process is ready, the size of the image, and its pixels.
const maxOutputBytes = 1 + 4 + 4 * logoLimits.side ** 2;

// Tests import the TypeScript sources, which a separate Node process cannot run: use the build.
const isSource = import.meta.url.endsWith('.ts');
const entry = isSource ? '../../../dist/qr/logo/logo-process.js' : './logo-process.js';

const defaultShell = existsSync('/bin/sh') ? '/bin/sh' : undefined;

// Ignores limits that the shell or system does not support. The server also watches time and memory.
const limitScript =
  '{ ulimit -c 0; ulimit -f 0; ulimit -t "$1"; ulimit -d "$2"; } 2>/dev/null; shift 2; exec "$@"';

function defaultCommand(heapMb: number): [string, ...string[]] {
  const file = fileURLToPath(new URL(entry, import.meta.url));
  return [process.execPath, `--max-old-space-size=${heapMb}`, file];
}

/**
 * Decodes an image in a separate process, which receives no secrets and is killed when it exceeds
 * its limits. Throws a LogoError when the image is the cause of a failure, else a LogoProcessError.
 */
export async function runLogoProcess(
  image: Uint8Array,
  options: RunLogoProcessOptions = {},
): Promise<LogoRaster> {
  const { signal, limits = logoProcessLimits } = options;
  signal?.throwIfAborted();
  const run = start(options, limits, image.length);
  const { child } = run;
  let isReady = false;
  // Set when this function kills the process.
  let killReason: unknown;
  const kill = (reason: unknown) => {
    killReason ??= reason;
    child.kill('SIGKILL');
  };
  const abort = () => kill(signal?.reason);
  signal?.addEventListener('abort', abort);
  const watch = watchMemory(child.pid, limits.memoryMb, () =>
    kill(tooCostly(`needs more than ${limits.memoryMb} MB of memory to be drawn`)),
  );
  let deadline = setTimeout(() => kill(failure('did not start in time')), limits.startMs);
  child.stdout?.once('data', () => {
    isReady = true;
    clearTimeout(deadline);
    deadline = setTimeout(
      () => kill(tooCostly(`takes more than ${limits.renderMs / 1000} seconds to be drawn`)),
      limits.renderMs,
    );
    child.stdin?.write(image);
  });
  // Writing to a killed process fails. Its end has the reason.
  child.stdin?.on('error', () => {});
  try {
    const { stdout } = await run.catch((error: ProcessFailure) => {
      throw killReason ?? describeFailure(error, isReady, limits);
    });
    if (!isReady) throw failure('ended with 0 before it was ready');
    return readRaster(stdout);
  } finally {
    clearTimeout(deadline);
    clearInterval(watch);
    signal?.removeEventListener('abort', abort);
  }
}

/** The error of `execFile` when a process fails. */
interface ProcessFailure extends Omit<ExecFileException, 'stdout' | 'stderr'> {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

function describeFailure(
  error: ProcessFailure,
  isReady: boolean,
  { cpuSeconds, memoryMb }: LogoProcessLimits,
): Error {
  const { code, signal, stdout, stderr } = error;
  const details = stderr.length > 0 ? truncateText(`: ${stderr}`, maxStderrLength) : '';
  if (error.syscall?.startsWith('spawn')) return failure('could not be started', error);
  if (!isReady) return failure(`ended with ${signal ?? code} before it was ready${details}`);
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return violation();
  if (code === logoExitCodes.refusal) return new LogoError(printable(stdout.subarray(1)));
  if (code === logoExitCodes.error) return failure(`reported an error${details}`);
  return tooCostly(
    `cannot be drawn within ${cpuSeconds} seconds of processor time and ${memoryMb} MB of memory`,
  );
}

const failure = (event: string, cause?: unknown) =>
  new LogoProcessError(`the logo process ${event}`, { cause });
const violation = () => failure('violated the protocol');
const tooCostly = (excess: string) => new LogoError(`an image that ${excess}`);

/**
 * Reads the pixels of a logo. The process that wrote them has read untrusted bytes, so they are
 * untrusted, too. Throws a LogoProcessError when they are not an image within the limits.
 */
function readRaster(output: Buffer): LogoRaster {
  if (output.length < 5 || output[0] !== 0) throw violation();
  const [width, height] = [output.readUInt16BE(1), output.readUInt16BE(3)];
  const rgba = output.subarray(5);
  const { side, aspectRatio } = logoLimits;
  const [shorter, longer] = [Math.min(width, height), Math.max(width, height)];
  const isWithinLimits = shorter >= 1 && longer <= side && longer <= shorter * aspectRatio;
  if (!isWithinLimits || rgba.length !== 4 * width * height) throw violation();
  return { width, height, rgba };
}

function printable(body: Buffer): string {
  return truncateText(body.toString('utf8'), maxReasonLength).replace(/\p{C}/gu, '�');
}

function start(options: RunLogoProcessOptions, limits: LogoProcessLimits, imageBytes: number) {
  const command = [...(options.command ?? defaultCommand(limits.heapMb)), `${imageBytes}`] as const;
  const shell = 'shell' in options ? options.shell : defaultShell;
  const limitArguments = [`${limits.cpuSeconds}`, `${limits.memoryMb * 1024}`];
  const [program, ...args] =
    shell === undefined
      ? command
      : [shell, '-c', limitScript, 'shorty-logo', ...limitArguments, ...command];
  const run = promisify(execFile)(program, args, {
    cwd: '/',
    // The server's environment has secrets, and decoders read settings from it.
    env: { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '1', VIPS_CONCURRENCY: '1' },
    encoding: 'buffer',
    maxBuffer: maxOutputBytes,
    killSignal: 'SIGKILL',
  });
  const { pid } = run.child;
  if (pid !== undefined) {
    // Redirects have priority. A process may not raise its priority.
    setPriority(pid, Math.max(getPriority(pid), constants.priority.PRIORITY_BELOW_NORMAL));
    options.onStarted?.(pid);
  }
  return run;
}

/** Calls `onExceeded` when the resident memory exceeds the limit. Does nothing without `/proc`. */
function watchMemory(
  processId: number | undefined,
  limitMb: number,
  onExceeded: () => void,
): NodeJS.Timeout {
  return setInterval(async () => {
    const status = await readFile(`/proc/${processId}/status`, 'latin1').catch(() => '');
    const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
    if (kilobytes > limitMb * 1024) onExceeded();
  }, memoryCheckMs);
}
