import { CliError } from './cli-error.js';
import { exitCodes } from './exit-codes.js';
import type { Io } from './io.js';

export interface SignIn {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

const timeoutMs = 15_000;

/**
 * Exchanges client credentials for a token and returns the scopes of the token. The SDK makes the
 * same exchange but does not expose the scopes.
 */
export async function fetchScopes(
  signIn: SignIn,
  io: Pick<Io, 'fetch' | 'interrupt'>,
  limitMs = timeoutMs,
) {
  const { baseUrl, clientId, clientSecret } = signIn;
  let response: Response;
  let body: unknown;
  const limit = new AbortController();
  // A timer holds its signal. `AbortSignal.timeout` in `AbortSignal.any` is collected, and never ends.
  const timer = setTimeout(
    () => limit.abort(new Error(`no response within ${limitMs} ms`)),
    limitMs,
  );
  try {
    response = await io.fetch(`${baseUrl}/api/v1/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clientId, clientSecret }),
      redirect: 'manual',
      signal: AbortSignal.any([io.interrupt, limit.signal]),
    });
    body = JSON.parse(await response.text());
  } catch (error) {
    if (io.interrupt.aborted) throw error;
    throw unreachable(baseUrl, error);
  } finally {
    clearTimeout(timer);
  }
  const scope = property(property(body, 'data'), 'scope');
  if (response.ok && typeof scope === 'string')
    return scope.split(' ').filter((part) => part !== '');
  const failure = property(body, 'error');
  const message = property(failure, 'message');
  throw new CliError(
    typeof message === 'string' ? message : `${baseUrl} answered ${response.status}`,
    {
      exitCode: response.status === 401 ? exitCodes.notAllowed : exitCodes.failed,
      code: response.status === 401 ? 'UNAUTHORIZED' : 'FAILED',
      hint: response.status === 401 ? 'check the client id and its secret' : undefined,
    },
  );
}

function unreachable(baseUrl: string, error: unknown): CliError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const isInvalidJson = error instanceof SyntaxError;
  const reason = isInvalidJson ? 'its response is not JSON' : (cause as Error).message;
  return new CliError(`no Shorty server responds at ${baseUrl}: ${reason}`, {
    code: 'CONNECTION',
    hint: 'check the base URL; shorty whoami shows its source',
    cause: error,
  });
}

function property(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
