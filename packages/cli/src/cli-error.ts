import { type ExitCode, exitCodes } from './exit-codes.js';

export interface CliErrorOptions extends ErrorOptions {
  readonly exitCode?: ExitCode;
  /** What to do about it, shown on a line of its own. */
  readonly hint?: string | undefined;
  readonly code?: string;
  readonly details?: readonly { readonly path: string; readonly message: string }[];
}

/** A failure that is told to the user as it is, without a stack. */
export class CliError extends Error {
  override readonly name: string = 'CliError';
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;
  readonly code: string;
  readonly details: readonly { readonly path: string; readonly message: string }[];

  constructor(message: string, options: CliErrorOptions = {}) {
    super(message, options);
    this.exitCode = options.exitCode ?? exitCodes.failed;
    this.hint = options.hint;
    this.code = options.code ?? 'FAILED';
    this.details = options.details ?? [];
  }
}

/** The command line, or a file that it names, cannot be used as it is. */
export class UsageError extends CliError {
  override readonly name = 'UsageError';

  constructor(message: string, hint?: string) {
    super(message, { exitCode: exitCodes.usage, code: 'USAGE', hint });
  }
}

/** The code of a Node system error such as `ENOENT`, if that is what this is. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
