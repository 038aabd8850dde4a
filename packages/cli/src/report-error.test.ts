import { RateLimitError, Shorty, ShortyConfigError } from '@shorty/sdk';
import { expect, test } from 'vitest';
import { fakeIo } from '../test/fake-io.js';
import { reportError } from './report-error.js';

/** Returns the error that the SDK throws for this response. */
async function apiError(status: number, error: object): Promise<unknown> {
  const client = new Shorty({
    baseUrl: 'http://server.test',
    accessToken: 'token',
    maxRetries: 0,
    fetch: async () => Response.json({ success: false, error }, { status }),
  });
  return client.urls.get('1').then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}

function report(error: unknown, env: Record<string, string> = {}) {
  const io = fakeIo({ env });
  return { code: reportError(error, io, false), text: io.text.stderr, stdout: io.text.stdout };
}

test.each([
  [401, 'UNAUTHORIZED', 4],
  [403, 'INSUFFICIENT_SCOPE', 4],
  [403, 'PLAN_REQUIRED', 4],
  [400, 'VALIDATION_FAILED', 1],
  [402, 'QUOTA_EXCEEDED', 1],
  [500, 'INTERNAL', 1],
])('%i %s exits with %i', async (status, code, expected) => {
  const error = await apiError(status, { code, message: 'No.', requestId: 'r1' });
  const { code: exitCode, text } = report(error);
  expect(exitCode).toBe(expected);
  expect(text).toMatch(/^shorty: No\.\n/);
  expect(text).toMatch(/\n {2}request r1\n$/);
});

test('a setting that the SDK refuses exits with 2', () => {
  expect(report(new ShortyConfigError('baseUrl', 'x')).code).toBe(2);
});

test('a rate limit says when to try again', async () => {
  const error = new RateLimitError('Too many', { status: 429, retryAfterMs: 42_000 });
  expect(report(error).text).toBe(
    'shorty: Too many\n  the rate limit is reached; try again in 42 s\n',
  );
});

test.each([
  ['keys:write', 'no API key has it: sign in with a client that has it'],
  [
    'urls:write',
    'use a client with it, or a key that it creates (shorty keys create NAME --scopes "urls:write ...")',
  ],
  ['urls:erase', 'shorty-server clients create --org default --scopes "urls:read urls:erase"'],
])('a missing scope %s says how to get it', async (scope, hint) => {
  const message = `The access token needs the scope ${scope}`;
  const error = await apiError(403, { code: 'INSUFFICIENT_SCOPE', message });
  expect(report(error).text).toContain(hint);
});

test('each detail has a line, except one that repeats the message', async () => {
  const details = [
    { path: 'title', message: 'is too long' },
    { path: '', message: 'has\nlines' },
  ];
  const many = await apiError(400, { code: 'VALIDATION_FAILED', message: '2 errors', details });
  expect(report(many).text).toBe('shorty: 2 errors\n  title: is too long\n  has lines\n');
  const single = await apiError(400, {
    code: 'VALIDATION_FAILED',
    message: 'title is too long',
    details: details.slice(0, 1),
  });
  expect(report(single).text).toBe('shorty: title is too long\n');
});

test('JSON: one line with all fields on stderr, nothing on stdout', async () => {
  const details = [{ path: 'title', message: 'is too long' }];
  const error = await apiError(400, {
    ...{ code: 'VALIDATION_FAILED', message: 'No.', details, requestId: 'r1' },
  });
  const io = fakeIo();
  reportError(error, io, true);
  expect(io.text.stdout).toBe('');
  expect(JSON.parse(io.text.stderr)).toEqual({
    error: { code: 'VALIDATION_FAILED', message: 'No.', details, status: 400, requestId: 'r1' },
  });
});

test('an unexpected error shows its stack with SHORTY_DEBUG only', () => {
  const error = new Error('surprise');
  expect(report(error).text).toBe(
    'shorty: surprise\n  set SHORTY_DEBUG=1 to see the stack trace\n',
  );
  expect(report(error, { SHORTY_DEBUG: '1' }).text).toContain('report-error.test.ts');
});

test.each([
  ['Not here', 'POST /api/v1/auth/token answered 404: Not here'],
  [
    JSON.stringify({
      success: false,
      error: { code: 'NOT_FOUND', message: 'There is no route POST /api/v1/api/v1/auth/token' },
    }),
    'There is no route POST /api/v1/api/v1/auth/token',
  ],
])('a base URL without an API at it has its own next step: %s', async (body, message) => {
  const client = new Shorty({
    baseUrl: 'http://server.test/api/v1',
    clientId: 'id',
    clientSecret: 'secret',
    fetch: async () => new Response(body, { status: 404 }),
  });
  const error = await client.urls.get('1').catch((thrown: unknown) => thrown);
  expect(report(error).text).toBe(
    `shorty: ${message}\n  no Shorty API is at the base URL, which is the server's address without /api/v1; shorty whoami shows the base URL and its source\n`,
  );
});
