import { describe, expect, it } from 'vitest';
import {
  AuthenticationError,
  ConflictError,
  GoneError,
  isShortyError,
  NotFoundError,
  PermissionError,
  QuotaExceededError,
  RateLimitError,
  RequestRejectedError,
  ServerError,
  ShortyError,
  UnexpectedResponseError,
  ValidationError,
} from './errors.js';
import { readResponse } from './read-response.js';

function read(status: number, text: string, headers: Record<string, string> = {}): unknown {
  const response = { status, headers: new Headers(headers), requestId: headers['x-request-id'] };
  const incoming = { response, body: text };
  return readResponse(incoming, 'GET /api/v1/urls', 0);
}

function readError(...answer: Parameters<typeof read>): ShortyError {
  try {
    read(...answer);
  } catch (error) {
    if (error instanceof ShortyError) return error;
    throw error;
  }
  throw new Error('no error');
}

const envelope = (error: object) => JSON.stringify({ success: false, error });

describe('a success', () => {
  it.each([200, 201, 207])('with status %i returns the data of the envelope', (status) => {
    expect(read(status, '{"success":true,"data":{"id":"42"}}')).toEqual({ id: '42' });
  });

  it.each(['', 'null', '[]', '"x"', '{}', '{"success":true}', '{"data":{}}', '<html>'])(
    'of the body %j is not the API',
    (text) => {
      const error = readError(200, text, { 'x-request-id': 'r' });
      expect(error).toBeInstanceOf(UnexpectedResponseError);
      expect(error).toMatchObject({ status: 200, code: undefined, requestId: 'r' });
    },
  );
});

describe('an error', () => {
  it.each([
    [400, ValidationError],
    [401, AuthenticationError],
    [402, QuotaExceededError],
    [403, PermissionError],
    [404, NotFoundError],
    [405, RequestRejectedError],
    [409, ConflictError],
    [410, GoneError],
    [429, RateLimitError],
    [500, ServerError],
    [304, RequestRejectedError],
  ])('of %i has its class', (status, Class) => {
    const error = readError(status, envelope({ code: 'GONE', message: 'No.', requestId: 'r' }));
    expect(error.constructor).toBe(Class);
    expect(error.name).toBe(Class.name);
    expect(error).toMatchObject({ status, code: 'GONE', message: 'No.', requestId: 'r' });
    expect(isShortyError(error)).toBe(true);
  });

  it('has the details of the envelope, or none', () => {
    const details = [{ path: 'urls[3].targetUrl', message: 'must be a URL' }];
    const base = { code: 'VALIDATION_FAILED', message: 'Bad.', requestId: 'r' };
    expect(readError(400, envelope({ ...base, details })).details).toEqual(details);
    expect(readError(400, envelope(base)).details).toEqual([]);
  });

  it('from a proxy has the status and the start of the page', () => {
    const page = `<html>\n  <h1>502 Bad Gateway</h1>${'x'.repeat(500)}</html>`;
    const error = readError(502, page, { 'retry-after': '5' });
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ status: 502, code: undefined, retryAfterMs: 5000 });
    expect(error.message).toMatch(
      /^GET \/api\/v1\/urls answered 502: <html> <h1>502 Bad Gateway<\/h1>x+$/,
    );
    expect(error.message.length).toBeLessThan(250);
  });

  it.each([
    ...['{"error":"nope"}', '{"error":{"code":7,"message":"x"}}', '[]', 'null'].map((text) => [
      ...[text, `: ${text}`],
    ]),
    [' \n', ''],
  ])('of the foreign body %j quotes it', (text, quoted) => {
    expect(readError(404, text as string)).toMatchObject({
      name: 'NotFoundError',
      message: `GET /api/v1/urls answered 404${quoted}`,
      code: undefined,
    });
  });
});

const lookalike = Object.assign(new Error('x'), { requestId: 'r', details: [] });
it.each([undefined, null, 'x', {}, new Error('x'), lookalike])(
  'isShortyError does not take %s for one',
  (value) => expect(isShortyError(value)).toBe(false),
);
