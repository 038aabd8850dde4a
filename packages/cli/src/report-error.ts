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

/** Tells what went wrong on stderr, for people or as JSON, and answers the exit code. */
export function reportError(error: unknown, io: Io, asJson: boolean): ExitCode {
  const report = describeError(error, io);
  const { exitCode, message, details, hint, requestId } = report;
  if (asJson) {
    io.stderr.write(`${JSON.stringify({ error: { ...report, exitCode: undefined } })}\n`);
    return exitCode;
  }
  const lines = [`shorty: ${printable(message)}`];
  for (const { path, message: fault } of details) {
    // A single fault often is the whole message.
    if (message === `${path} ${fault}`) continue;
    lines.push(`  ${printable(path === '' ? fault : `${path}: ${fault}`)}`);
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
    hint: 'set SHORTY_DEBUG=1 to see where it happened',
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
  if (error.status === 401) return 'sign in with shorty login; shorty whoami shows what is used';
  if (error.code === 'INSUFFICIENT_SCOPE') return 'shorty whoami shows the scopes you have';
  if (error instanceof ConnectionError) {
    return 'is the server running there? shorty whoami shows the base URL and where it comes from';
  }
  return undefined;
}
