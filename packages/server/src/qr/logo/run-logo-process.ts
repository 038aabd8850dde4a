import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
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
export function runLogoProcess(
  image: Uint8Array,
  options: RunLogoProcessOptions = {},
): Promise<LogoRaster> {
  const { signal, limits = logoProcessLimits } = options;
  signal?.throwIfAborted();
  const child = start(options, limits, image.length);
  const processId = child.pid;
  if (processId === undefined) return startFailure(child);
  return new Promise<LogoRaster>((resolve, reject) => {
    // Settles the promise in the handler of 'close', when the process has ended.
    let outcome: (() => void) | undefined;
    let isReady = false;
    const output: Buffer[] = [];
    let outputBytes = 0;
    let stderr = '';
    const settle = (settlePromise: () => void) => {
      outcome ??= settlePromise;
      child.kill('SIGKILL');
    };
    const fail = (reason: string, cause?: unknown) =>
      settle(() => reject(new LogoProcessError(`the logo process ${reason}${stderr}`, { cause })));
    const refuse = (reason: string) => settle(() => reject(new LogoError(reason)));
    const abort = () => settle(() => reject(signal?.reason));
    signal?.addEventListener('abort', abort);

    let deadline = setTimeout(() => fail('did not start in time'), limits.startMs);
    const watch = watchMemory(processId, limits.memoryMb, () =>
      refuse(`an image that needs more than ${limits.memoryMb} MB of memory to be drawn`),
    );
    child.stdout.on('data', (chunk: Buffer) => {
      output.push(chunk);
      outputBytes += chunk.length;
      if (output[0]?.[0] !== 0 || outputBytes > maxOutputBytes)
        return fail('violated the protocol');
      if (isReady) return;
      isReady = true;
      clearTimeout(deadline);
      deadline = setTimeout(
        () => refuse(`an image that takes more than ${limits.renderMs / 1000} seconds to be drawn`),
        limits.renderMs,
      );
      child.stdin.write(image);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = `${stderr || ': '}${chunk}`.slice(0, maxStderrLength);
    });
    // Writing to a killed process fails. The handler of 'close' reports why it was killed.
    child.stdin.on('error', () => {});
    child.on('error', (error) => fail('failed', error));
    child.on('close', (code, endedBy) => {
      clearTimeout(deadline);
      clearInterval(watch);
      signal?.removeEventListener('abort', abort);
      // `settle` ignores every outcome after the first one.
      if (!isReady) fail(`ended with ${endedBy ?? code} before it was ready`);
      const body = Buffer.concat(output).subarray(1);
      if (code === 0) {
        const raster = readRaster(body);
        if (raster) settle(() => resolve(raster));
        else fail('violated the protocol');
      } else if (code === logoExitCodes.refusal) refuse(printable(body));
      else if (code === logoExitCodes.error) fail('reported an error');
      refuse(
        `an image that cannot be drawn within ${limits.cpuSeconds} seconds of processor time and ${limits.memoryMb} MB of memory`,
      );
      outcome?.();
    });
  });
}

/**
 * Reads the pixels of a logo. The process that wrote them has read untrusted bytes, so they are
 * untrusted, too. Returns undefined when they are not an image within the limits.
 */
function readRaster(body: Buffer): LogoRaster | undefined {
  if (body.length < 4) return undefined;
  const [width, height] = [body.readUInt16BE(0), body.readUInt16BE(2)];
  const rgba = body.subarray(4);
  const { side, aspectRatio } = logoLimits;
  const [shorter, longer] = [Math.min(width, height), Math.max(width, height)];
  if (shorter < 1 || longer > side || longer > shorter * aspectRatio) return undefined;
  return rgba.length === 4 * width * height ? { width, height, rgba } : undefined;
}

function printable(body: Buffer): string {
  return body.toString('utf8').slice(0, maxReasonLength).replace(/\p{C}/gu, '�');
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
  imageBytes: number,
): ChildProcessWithoutNullStreams {
  const command = [...(options.command ?? defaultCommand(limits.heapMb)), `${imageBytes}`] as const;
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
    // The server's environment has secrets, and decoders read settings from it.
    env: { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: '1', VIPS_CONCURRENCY: '1' },
    stdio: 'pipe',
  });
  if (child.pid !== undefined) {
    // Redirects have priority.
    setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    options.onStarted?.(child.pid);
  }
  return child;
}

/** Calls `onExceeded` when the resident memory exceeds the limit. Does nothing without `/proc`. */
function watchMemory(processId: number, limitMb: number, onExceeded: () => void): NodeJS.Timeout {
  return setInterval(async () => {
    const status = await readFile(`/proc/${processId}/status`, 'latin1').catch(() => '');
    const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
    if (kilobytes > limitMb * 1024) onExceeded();
  }, memoryCheckMs);
}
