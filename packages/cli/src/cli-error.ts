import { dirname, resolve } from 'node:path';
import { nearestName } from '@shorty/import';

/** The exit codes of the process. Scripts depend on these numbers. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  partlyDone: 3,
  notAllowed: 4,
  /** By Ctrl-C (SIGINT). */
  interrupted: 130,
  /** By SIGTERM. */
  terminated: 143,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Returns the exit code of a command by the numbers of items that it did, and that it did not. */
export function exitCodeOf(done: number, failed: number): ExitCode {
  if (failed === 0) return exitCodes.done;
  return done > 0 ? exitCodes.partlyDone : exitCodes.failed;
}

export interface CliErrorOptions extends ErrorOptions {
  readonly exitCode?: ExitCode;
  /** The next step, printed on a separate line. */
  readonly hint?: string | undefined;
  readonly code?: string;
}

/** An expected failure. The user sees its message without a stack trace. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;
  readonly code: string;

  constructor(message: string, options: CliErrorOptions = {}) {
    super(message, options);
    this.exitCode = options.exitCode ?? exitCodes.failed;
    this.hint = options.hint;
    this.code = options.code ?? 'FAILED';
  }
}

/** An invalid command line or input file. */
export class UsageError extends CliError {
  override readonly name = 'UsageError';

  constructor(message: string, hint?: string) {
    super(message, { exitCode: exitCodes.usage, code: 'USAGE', hint });
  }
}

/** Returns the error for a name that is none of the known ones, with the most similar of them. */
export function unknownName(
  problem: string,
  name: string,
  known: readonly string[],
  plural = 'fields',
): UsageError {
  const near = nearestName(name, known);
  return new UsageError(problem, near ? `did you mean ${near}?` : `${plural}: ${known.join(', ')}`);
}

/** Returns the code of a Node system error such as `ENOENT`, or undefined for other errors. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Returns the reason of a failed request. The error of `fetch` has it as its cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return error.message || (systemErrorCode(error) ?? error.name);
}

/** Returns the message for a file that cannot be written. */
export function describeWriteError(path: string, error: unknown): string {
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: `the folder ${dirname(resolve(path))} does not exist`,
    EISDIR: 'it is a folder',
  };
  const reason = reasons[systemErrorCode(error) ?? ''] ?? (error as Error).message;
  return `${path} cannot be written: ${reason}`;
}
