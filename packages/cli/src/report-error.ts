import { FileError } from '@shorty/import';
import { formatDuration, formatJson, printable } from '@shorty/report';
import { ConnectionError, ShortyConfigError, ShortyError, TimeoutError } from '@shorty/sdk';
import { CliError, type ExitCode, exitCodes, systemErrorCode } from './cli-error.js';
import type { Io } from './io.js';
import { kinds } from './records.js';

interface Report {
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly message: string;
  readonly details: readonly { readonly path: string; readonly message: string }[];
  readonly hint?: string | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
}

/**
 * Prints an error to stderr as text or JSON, and returns the exit code. `remedy` is the next step for
 * credentials that the server refuses.
 */
export function reportError(error: unknown, io: Io, asJson: boolean, remedy?: string): ExitCode {
  const described = describeError(error, io);
  const report = { ...described, hint: described.hint ?? remedy };
  const { exitCode } = report;
  if (asJson) {
    io.stderr.write(`${formatJson({ error: { ...report, exitCode: undefined } })}\n`);
    return exitCode;
  }
  io.stderr.write(`shorty: ${linesOf(report).join('\n  ')}\n`);
  if (io.env.SHORTY_DEBUG && error instanceof Error) {
    io.stderr.write(`${error.stack ?? String(error)}\n`);
  }
  return exitCode;
}

/** Returns the message of an error, its details, the next step and the id of the request, each in a line. */
export function linesOf({ message, details, hint, requestId }: Report): string[] {
  const lines = [message];
  for (const { path, message: text } of details) {
    // The message of the response often repeats a single detail, with the value of the field.
    if (message.startsWith(path) && message.includes(text)) continue;
    lines.push(path === '' ? text : `${path}: ${text}`);
  }
  if (hint) lines.push(hint);
  if (requestId) lines.push(`request ${requestId}`);
  return lines.map(printable);
}

/** Returns the message and the next step of an error. */
export function describeError(error: unknown, io: Pick<Io, 'interrupt'>): Report {
  if (error instanceof CliError) {
    return plainReport(error.exitCode, error.code, error.message, error.hint);
  }
  if (error instanceof FileError) {
    return plainReport(exitCodes.usage, 'USAGE', error.message, error.hint);
  }
  if (io.interrupt.aborted) {
    return plainReport(exitCodes.interrupted, 'INTERRUPTED', 'interrupted');
  }
  if (error instanceof ShortyConfigError) {
    return plainReport(exitCodes.usage, 'CONFIG', error.message);
  }
  if (error instanceof ShortyError) {
    const { status, message, requestId, details = [] } = error;
    const isRefused = status === 401 || status === 403;
    return {
      exitCode: isRefused ? exitCodes.notAllowed : exitCodes.failed,
      code: error.code ?? (error instanceof TimeoutError ? 'TIMEOUT' : 'CONNECTION'),
      ...{ message, details, hint: hintFor(error), status, requestId },
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  const hint = 'set SHORTY_DEBUG=1 to see the stack trace';
  return plainReport(exitCodes.failed, 'UNEXPECTED', message, hint);
}

function plainReport(exitCode: ExitCode, code: string, message: string, hint?: string): Report {
  return { exitCode, code, message, details: [], hint };
}

function hintFor(error: ShortyError): string | undefined {
  const { path = '', retryAfterMs } = error;
  if (path.includes('/api/v1/admin/')) {
    if (error.status === 401) return 'check SHORTY_OPERATOR_KEY';
    if (error.message.startsWith('There is no route ')) return noAdministration;
  }
  if (error.code === 'INSUFFICIENT_SCOPE') return scopeHint(error.message);
  const isOtherServer = error.code === undefined || error.message.includes('/api/v1/api/v1/');
  if (error.status === 404 && isOtherServer) {
    return `no Shorty API is at the base URL, which is the server's address without /api/v1; ${checkAddress}`;
  }
  const isNoId = error.details.some(({ path }) => path === 'id');
  if (error.status === 404 || isNoId) {
    const isListed = (place: string) => path.includes(`/api/v1/${place.split('{', 1)}`);
    return Object.values(kinds).find(({ place }) => isListed(place))?.hint;
  }
  if (error.code === 'SLUG_CONFLICT') {
    return 'if a deleted link has it, shorty urls restore makes that link active again';
  }
  if (error.code === 'DOMAIN_INVALID' && error.details.some(({ path }) => path === 'domainId')) {
    return 'shorty domains verify HOST activates a domain';
  }
  if (error.status === 429) {
    const time = retryAfterMs === undefined ? 'later' : `in ${formatDuration(retryAfterMs)}`;
    return `the rate limit is reached; try again ${time}`;
  }
  if (error instanceof TimeoutError) return '--timeout SECONDS changes the limit';
  if (error instanceof ConnectionError) {
    const code = causeCode(error) ?? '';
    return connectionHints.find(([codes]) => codes.test(code))?.[1] ?? checkAddress;
  }
  return undefined;
}

/** Returns how to get the scope that a refusal names. */
function scopeHint(message: string): string {
  const [, scope] = /needs the scope (\w+:\w+)/.exec(message) ?? [];
  if (scope === undefined) return 'shorty whoami shows your scopes';
  if (scope === 'urls:erase') {
    return 'nobody has it by default: shorty-server clients create --org default --scopes "urls:read urls:erase" makes a client with it';
  }
  return scope === 'keys:write'
    ? 'no API key has it: sign in with a client that has it, such as the first one (shorty login --client-id ID), and unset SHORTY_API_KEY if it is set'
    : `shorty whoami shows your scopes; use a client with it, or a key that it creates (shorty keys create NAME --scopes "${scope} ...")`;
}

const noAdministration =
  'the server has no operator key, or serves it on SHORTY_ADMIN_LISTEN only; docs/administration.md turns it on';
const checkAddress = 'shorty whoami shows the base URL and its source';

/** The next step by the code of the error that broke the connection. */
const connectionHints: readonly (readonly [RegExp, string])[] = [
  [/^PROXY$/, 'correct HTTP_PROXY or HTTPS_PROXY, or exempt the server with NO_PROXY'],
  [
    /^(ENOTFOUND|EAI_AGAIN)$/,
    `no server has this name: check its spelling and your network; ${checkAddress}`,
  ],
  [
    /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/,
    `no server listens there: check that it runs; ${checkAddress}`,
  ],
  [
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(VERIFY|GET)_\w+)$/,
    'the certificate is not from a known authority; NODE_EXTRA_CA_CERTS=file.pem adds one',
  ],
  [
    /^(ERR_SSL_WRONG_VERSION_NUMBER|EPROTO)$/,
    'the server does not use TLS on this port; try http://',
  ],
];

/** Returns the code of the innermost error that has one. */
function causeCode(error: Error): string | undefined {
  const { cause } = error;
  const inner = cause instanceof Error ? causeCode(cause) : undefined;
  return inner ?? systemErrorCode(error);
}
