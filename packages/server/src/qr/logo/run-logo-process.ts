import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { LogoError } from './logo-error.js';
import { answerReader, decodeAnswer, frame, type LogoAnswer } from './logo-frames.js';
import { type LogoProcessLimits, type LogoRaster, logoProcessLimits } from './logo-limits.js';

/** The logo process failed for a reason that is not the image's. */
export class LogoProcessError extends Error {
  override readonly name = 'LogoProcessError';
}

export interface RunLogoProcessOptions {
  /** Kills the process; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly limits?: LogoProcessLimits;
  /** The program of the process, with its arguments. */
  readonly command?: readonly [string, ...string[]];
  /** A shell that sets limits before it becomes the process; undefined where there is none. */
  readonly shell?: string | undefined;
  readonly onStarted?: (processId: number) => void;
}

const watchEveryMs = 50;
const longestComplaint = 2000;

// Tests import the sources, and Node runs no TypeScript of several files: these run the build.
const isSource = import.meta.url.endsWith('.ts');
const entry = isSource ? '../../../dist/qr/logo/logo-process.js' : './logo-process.js';

const defaultShell = existsSync('/bin/sh') ? '/bin/sh' : undefined;

// A limit that this shell or system does not know is left out: time and memory are watched as well.
const limitScript =
  '{ ulimit -c 0; ulimit -f 0; ulimit -t "$1"; ulimit -d "$2"; } 2>/dev/null; shift 2; exec "$@"';

function defaultCommand(heapMb: number): [string, ...string[]] {
  const file = fileURLToPath(new URL(entry, import.meta.url));
  return [process.execPath, `--max-old-space-size=${heapMb}`, file];
}

/**
 * Decodes an image in a process of its own, which gets no secrets and is killed when it exceeds its
 * limits. Throws a LogoError when the image is at fault and a LogoProcessError when it is not.
 */
export function runLogoProcess(
  image: Uint8Array,
  options: RunLogoProcessOptions = {},
): Promise<LogoRaster> {
  const { signal, limits = logoProcessLimits } = options;
  signal?.throwIfAborted();
  const child = start(options, limits);
  const processId = child.pid;
  if (processId === undefined) return startFailure(child);
  return new Promise<LogoRaster>((resolve, reject) => {
    let outcome: (() => void) | undefined;
    let isReady = false;
    let complaint = '';
    const settle = (next: () => void) => {
      outcome ??= next;
      child.kill('SIGKILL');
    };
    const fail = (reason: string, cause?: unknown) =>
      settle(() =>
        reject(new LogoProcessError(`the logo process ${reason}${complaint}`, { cause })),
      );
    const refuse = (reason: string) => settle(() => reject(new LogoError(reason)));
    const abort = () => settle(() => reject(signal?.reason));
    signal?.addEventListener('abort', abort);

    let deadline = setTimeout(() => fail('did not start in time'), limits.startMs);
    const watch = watchMemory(processId, limits.memoryMb, () =>
      refuse(`an image that needs more than ${limits.memoryMb} MB of memory to be drawn`),
    );
    const handle = (answer: LogoAnswer) => {
      if (answer.kind === 'ready' && !isReady) {
        isReady = true;
        clearTimeout(deadline);
        deadline = setTimeout(
          () =>
            refuse(`an image that takes more than ${limits.renderMs / 1000} seconds to be drawn`),
          limits.renderMs,
        );
        child.stdin.write(frame(image));
      } else if (answer.kind === 'raster' && isReady) {
        settle(() => resolve(answer.raster));
      } else if (answer.kind === 'refusal' && isReady) refuse(answer.reason);
      else if (answer.kind === 'fault') fail(`reported: ${answer.reason}`);
      else fail('answered out of turn');
    };

    const reader = answerReader();
    child.stdout.on('data', (chunk: Buffer) => {
      try {
        for (const content of reader.push(chunk)) handle(decodeAnswer(content));
      } catch (error) {
        fail('broke the protocol', error);
      }
    });
    child.stderr.on('data', (chunk: Buffer) => {
      complaint = `${complaint || ': '}${chunk}`.slice(0, longestComplaint);
    });
    // A process that has been killed reads no more; its end says why.
    child.stdin.on('error', () => {});
    child.on('error', (error) => fail('failed', error));
    child.on('close', (code, endedBy) => {
      clearTimeout(deadline);
      clearInterval(watch);
      signal?.removeEventListener('abort', abort);
      if (!isReady) fail(`ended with ${endedBy ?? code} before it was ready`);
      refuse(
        `an image that cannot be drawn within ${limits.cpuSeconds} seconds of processor time and ${limits.memoryMb} MB of memory`,
      );
      outcome?.();
    });
  });
}

function startFailure(child: ChildProcess): Promise<never> {
  return new Promise((_, reject) => {
    child.on('error', (cause) =>
      reject(new LogoProcessError('the logo process could not be started', { cause })),
    );
  });
}

function start(
  options: RunLogoProcessOptions,
  limits: LogoProcessLimits,
): ChildProcessWithoutNullStreams {
  const command = options.command ?? defaultCommand(limits.heapMb);
  const shell = 'shell' in options ? options.shell : defaultShell;
  const [program, ...args] =
    shell === undefined
      ? command
      : [
          shell,
          '-c',
          limitScript,
          'shorty-logo',
          `${limits.cpuSeconds}`,
          `${limits.memoryMb * 1024}`,
          ...command,
        ];
  const child = spawn(program, args, {
    cwd: '/',
    // Nothing of the server's environment: it has secrets, and decoders read settings from it.
    env: { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '1', VIPS_CONCURRENCY: '1' },
    stdio: 'pipe',
  });
  if (child.pid !== undefined) {
    // Redirects go first.
    setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    options.onStarted?.(child.pid);
  }
  return child;
}

/** Calls back when a process has more memory resident than allowed; where there is no /proc, never. */
function watchMemory(processId: number, limitMb: number, onExceeded: () => void): NodeJS.Timeout {
  return setInterval(async () => {
    const status = await readFile(`/proc/${processId}/status`, 'latin1').catch(() => '');
    const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
    if (kilobytes > limitMb * 1024) onExceeded();
  }, watchEveryMs);
}
