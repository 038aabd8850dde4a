import { ConnectionError, ShortyConfigError, ShortyError, TimeoutError } from '@shorty/sdk';
import { CliError } from './cli-error.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { printable } from './format.js';
import type { Io } from './io.js';

interface Report {
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly message: string;
  readonly details: readonly { readonly path: string; readonly message: string }[];
  readonly hint?: string | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
}

/** Prints an error to stderr as text or JSON, and returns the exit code. */
export function reportError(error: unknown, io: Io, asJson: boolean): ExitCode {
  const report = describeError(error, io);
  const { exitCode, message, details, hint, requestId } = report;
  if (asJson) {
    io.stderr.write(`${JSON.stringify({ error: { ...report, exitCode: undefined } })}\n`);
    return exitCode;
  }
  const lines = [`shorty: ${printable(message)}`];
  for (const { path, message: text } of details) {
    // The message of the response often repeats a single detail.
    if (message === `${path} ${text}`) continue;
    lines.push(`  ${printable(path === '' ? text : `${path}: ${text}`)}`);
  }
  if (hint) lines.push(`  ${printable(hint)}`);
  if (requestId) lines.push(`  request ${printable(requestId)}`);
  if (io.env.SHORTY_DEBUG && error instanceof Error) lines.push(error.stack ?? String(error));
  io.stderr.write(`${lines.join('\n')}\n`);
  return exitCode;
}

function describeError(error: unknown, io: Io): Report {
  if (error instanceof CliError) {
    const { exitCode, code, message, details, hint } = error;
    return { exitCode, code, message, details, hint };
  }
  if (io.interrupt.aborted) {
    return {
      exitCode: exitCodes.interrupted,
      code: 'INTERRUPTED',
      message: 'interrupted',
      details: [],
    };
  }
  if (error instanceof ShortyConfigError) {
    return {
      exitCode: exitCodes.usage,
      code: 'CONFIG',
      message: error.message,
      details: [],
    };
  }
  if (error instanceof ShortyError) return describeApiError(error);
  return {
    exitCode: exitCodes.failed,
    code: 'UNEXPECTED',
    message: error instanceof Error ? error.message : String(error),
    details: [],
    hint: 'set SHORTY_DEBUG=1 to see the stack trace',
  };
}

function describeApiError(error: ShortyError): Report {
  const { status, message, requestId } = error;
  const isRefused = status === 401 || status === 403;
  return {
    exitCode: isRefused ? exitCodes.notAllowed : exitCodes.failed,
    code: error.code ?? (error instanceof TimeoutError ? 'TIMEOUT' : 'CONNECTION'),
    message,
    details: error.details ?? [],
    hint: hintFor(error),
    status,
    requestId,
  };
}

function hintFor(error: ShortyError): string | undefined {
  if (error.status === 401)
    return 'sign in with shorty login; shorty whoami shows the credentials in use';
  if (error.code === 'INSUFFICIENT_SCOPE') return 'shorty whoami shows your scopes';
  if (error instanceof ConnectionError) {
    return 'check that the server runs; shorty whoami shows the base URL and its source';
  }
  return undefined;
}
