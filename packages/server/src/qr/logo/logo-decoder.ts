import { type ExecFileException, execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { truncateText } from '../../contract/api-error.js';
import { openFairQueue } from '../../fair-queue.js';
import { QrDesignError } from '../drawing/qr-design.js';
import {
  type LogoProcessLimits,
  type LogoRaster,
  logoError,
  logoLimits,
  logoProcessLimits,
  logoRefusalCode,
} from './logo-limits.js';

/** Decodes each logo in its own process. A fair queue orders the logos of organizations. */
export function createLogoDecoder(process: Omit<RunLogoProcessOptions, 'signal'> = {}) {
  const queue = openFairQueue({
    name: 'logos',
    concurrency: 2,
    // An organization whose logos use their whole time limit leaves one process to the others.
    maxRunningPerOrganization: 1,
    maxWaiting: 64,
    maxWaitingPerOrganization: 16,
  });
  const stopped = new AbortController();

  return {
    queue,

    /** Decodes a logo. Throws a QrDesignError or a QueueFullError. */
    decode: (organizationId: string, image: Uint8Array) =>
      queue.run(organizationId, () =>
        runLogoProcess(image, { ...process, signal: stopped.signal }),
      ),

    /** Kills the processes and rejects queued logos. */
    stop(): void {
      queue.close();
      stopped.abort(new Error('logos: the server is stopping'));
    },
  };
}

export interface RunLogoProcessOptions {
  readonly signal?: AbortSignal;
  readonly limits?: LogoProcessLimits;
  readonly command?: readonly [string, ...string[]];
  readonly onStarted?: (processId: number) => void;
}

const maxStderrLength = 2000;
const maxReasonLength = 1000;
// The size of the image, and its pixels.
const maxOutputBytes = 4 + 4 * logoLimits.side ** 2;

// Tests import the TypeScript sources, which a separate Node process cannot run: use the build.
const isSource = import.meta.url.endsWith('.ts');
const entry = isSource ? '../../../dist/qr/logo/logo-process.js' : './logo-process.js';

// Sets limits and executes the program. Ignores limits that the system does not support.
const limitScript =
  '{ ulimit -c 0; ulimit -f 0; ulimit -t "$1"; ulimit -d "$2"; } 2>/dev/null; shift 2; exec "$@"';
const hasShell = existsSync('/bin/sh');

/**
 * Decodes an image in a separate process, which receives no secrets and is killed when it exceeds
 * its limits. Throws a QrDesignError when the image is the cause of a failure, else an Error.
 */
export async function runLogoProcess(
  image: Uint8Array,
  {
    signal,
    limits = logoProcessLimits,
    command = defaultCommand(limits.heapMb),
    onStarted,
  }: RunLogoProcessOptions = {},
): Promise<LogoRaster> {
  signal?.throwIfAborted();
  const limitArguments = [`${limits.cpuSeconds}`, `${limits.memoryMb * 1024}`];
  const [program, ...args] = hasShell
    ? (['/bin/sh', '-c', limitScript, 'shorty-logo', ...limitArguments, ...command] as const)
    : command;
  const run = promisify(execFile)(program, args, {
    cwd: '/',
    // The server's environment has secrets, and decoders read settings from it.
    env: { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '1', VIPS_CONCURRENCY: '1' },
    encoding: 'buffer',
    maxBuffer: maxOutputBytes,
    timeout: limits.timeoutMs,
    killSignal: 'SIGKILL',
  });
  const { pid, stdin } = run.child;
  if (pid !== undefined) {
    // Redirects have priority. A process may not raise its priority.
    setPriority(pid, Math.max(getPriority(pid), constants.priority.PRIORITY_BELOW_NORMAL));
    onStarted?.(pid);
  }
  // The option `signal` of execFile would send SIGTERM, which a stopped process does not see.
  const kill = () => run.child.kill('SIGKILL');
  signal?.addEventListener('abort', kill);
  // Writing to a process that has ended fails. Its end has the reason.
  stdin?.on('error', () => {}).end(image);
  const { stdout } = await run
    .catch((error: ProcessFailure) => {
      signal?.throwIfAborted();
      throw describeFailure(error, limits);
    })
    .finally(() => signal?.removeEventListener('abort', kill));
  return readRaster(stdout);
}

function defaultCommand(heapMb: number): [string, ...string[]] {
  const file = fileURLToPath(new URL(entry, import.meta.url));
  return [process.execPath, `--max-old-space-size=${heapMb}`, file];
}

interface ProcessFailure extends Omit<ExecFileException, 'stdout' | 'stderr'> {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

function describeFailure(error: ProcessFailure, limits: LogoProcessLimits): Error {
  const { code, signal, stdout, stderr } = error;
  const { timeoutMs, cpuSeconds, memoryMb } = limits;
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return violation();
  if (code === logoRefusalCode) return new QrDesignError('logoUrl', printable(stdout));
  if (signal || /allocation|memory/i.test(`${stderr}`)) {
    return logoError(
      `an image that cannot be drawn within ${timeoutMs / 1000} seconds, ${cpuSeconds} seconds of processor time and ${memoryMb} MB of memory`,
    );
  }
  const details = truncateText(`: ${stderr}`, maxStderrLength);
  return new Error(`the logo process ended with ${code}${details}`, { cause: error });
}

const violation = () => new Error('the logo process violated the protocol');

/**
 * Reads the pixels of a logo. The process that wrote them has read untrusted bytes, so they are
 * untrusted, too. Throws when they are not an image within the limits.
 */
function readRaster(output: Buffer): LogoRaster {
  if (output.length < 4) throw violation();
  const [width, height] = [output.readUInt16BE(0), output.readUInt16BE(2)];
  const rgba = output.subarray(4);
  const { side, aspectRatio } = logoLimits;
  const [shorter, longer] = [Math.min(width, height), Math.max(width, height)];
  const isWithinLimits = shorter >= 1 && longer <= side && longer <= shorter * aspectRatio;
  if (!isWithinLimits || rgba.length !== 4 * width * height) throw violation();
  return { width, height, rgba };
}

function printable(body: Buffer): string {
  return truncateText(body.toString('utf8'), maxReasonLength).replace(/\p{C}/gu, '�');
}
