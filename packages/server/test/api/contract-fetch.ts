import { expect } from 'vitest';
import { z } from 'zod';
import { api } from '../../src/api/api.js';
import { errorsOf } from '../../src/api/route-errors.js';
import type { Route, RouteResponse } from '../../src/contract/define-route.js';
import { type ErrorCode, errorResponse, errorStatus } from '../../src/contract/errors.js';
import { Answer } from './answer.js';

const routes: readonly Route[] = api;

/** Sends a request, follows nothing, and fails unless the contract knows such an answer. */
export async function contractFetch(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const answer = new Answer(response, await response.text());
  const method = init.method ?? 'GET';
  const { pathname } = new URL(url);
  const contentType = new Headers(init.headers).get('content-type') ?? '';
  checkAnswer(answer, { method, pathname, contentType });
  return answer;
}

interface Asked {
  readonly method: string;
  readonly pathname: string;
  readonly contentType: string;
}

export function checkAnswer(answer: Answer, asked: Asked): void {
  const onPath = routes.filter((route) => matches(route.path, asked.pathname));
  const literal = onPath.filter((route) => route.path === asked.pathname);
  const candidates = literal.length > 0 ? literal : onPath;
  const method = asked.method === 'HEAD' ? 'get' : asked.method.toLowerCase();
  const route = candidates.find((candidate) => candidate.method === method);
  const what = `${asked.method} ${asked.pathname} answered ${answer.status} ${answer.text.slice(0, 400)}`;

  expect(answer.headers.get('x-request-id'), `${what}: X-Request-Id`).toMatch(/^[\w.:-]{1,128}$/);
  expect(answer.status, what).toBeLessThan(600);
  if (asked.method === 'HEAD') {
    expect(answer.text, `${what}: HEAD has no body`).toBe('');
    const success = route?.responses[answer.status];
    if (route && !success) checkCodeIsDeclared(route, answer.status, undefined, what);
    return;
  }
  const success = route?.responses[answer.status];
  const isForm = asked.contentType.startsWith('application/x-www-form');
  const formBody = success && 'formBody' in success ? success.formBody : route?.formError;
  if (isForm && formBody) {
    expect(formBody.safeParse(answer.body).error, what).toBeUndefined();
  } else if (success) {
    checkSuccess(answer, success, what);
  } else {
    checkError(answer, route, candidates.length > 0, what);
  }
}

function checkSuccess(answer: Answer, declared: RouteResponse, what: string): void {
  if ('data' in declared) {
    expect(answer.headers.get('content-type'), what).toMatch(/^application\/json/);
    const schema = z.strictObject({ success: z.literal(true), data: declared.data });
    const parsed = schema.safeParse(answer.body);
    expect(parsed.error, what).toBeUndefined();
    // Parsing drops fields that the contract does not declare.
    expect(answer.body, `${what}: undeclared fields`).toEqual(parsed.data);
  } else if ('body' in declared) {
    expect(declared.body.safeParse(answer.body).error, what).toBeUndefined();
  } else if ('mediaType' in declared) {
    const [mediaType] = (answer.headers.get('content-type') ?? '').split('; ');
    expect(
      [declared.mediaType].flat().map((type) => type.split('; ')[0]),
      what,
    ).toContain(mediaType);
  } else {
    for (const name of Object.keys(declared.headers)) {
      expect(answer.headers.get(name), `${what}: ${name}`).toMatch(/^[\x21-\x7e]+$/);
    }
  }
}

function checkError(answer: Answer, route: Route | undefined, isPath: boolean, what: string): void {
  if ((answer.headers.get('content-type') ?? '').startsWith('text/html')) {
    // The rest of the site, which is no API: its home and its page for paths that lead nowhere.
    if (!route) expect([200, 404], what).toContain(answer.status);
    else {
      expect(route.isForVisitors, `${what}: only visitors are answered pages`).toBe(true);
      checkCodeIsDeclared(route, answer.status, undefined, what);
    }
    return;
  }
  expect(answer.headers.get('content-type'), what).toMatch(/^application\/json/);
  const parsed = errorResponse.safeParse(answer.body);
  expect(parsed.error, what).toBeUndefined();
  expect(answer.body, `${what}: undeclared fields`).toEqual(parsed.data);
  const { code, requestId } = answer.error;
  expect(requestId, what).toBe(answer.headers.get('x-request-id'));
  expect(answer.status, `${what}: the status of ${code}`).toBe(errorStatus[code]);
  if (route) checkCodeIsDeclared(route, answer.status, code, what);
  else expect(code, what).toBe(isPath ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND');
  if (code === 'METHOD_NOT_ALLOWED') expect(answer.headers.get('allow'), what).toBeTruthy();
  if (code === 'UNAUTHORIZED') expect(answer.headers.get('www-authenticate'), what).toBeTruthy();
  if (code === 'RATE_LIMITED' || code === 'UNAVAILABLE') {
    expect(answer.headers.get('retry-after'), what).toMatch(/^\d+$/);
  }
}

function checkCodeIsDeclared(
  route: Route,
  status: number,
  code: ErrorCode | undefined,
  what: string,
): void {
  const declared = errorsOf(route);
  if (code) expect(declared, `${what}: codes of ${route.operationId}`).toContain(code);
  else
    expect(
      declared.map((each) => errorStatus[each] as number),
      what,
    ).toContain(status);
}

function matches(path: string, pathname: string): boolean {
  const wanted = path.split('/');
  const given = pathname.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((segment, index) =>
      segment.startsWith('{')
        ? /^[A-Za-z0-9%._~+-]+$/.test(given[index] ?? '') && isOurs(path, given[index] ?? '')
        : segment === given[index],
    )
  );
}

// Only what has the shape of a code or slug can be a link; other paths are the site's.
function isOurs(path: string, segment: string): boolean {
  return path !== '/{code}' || /^[A-Za-z0-9][A-Za-z0-9-]{1,48}[A-Za-z0-9]$/.test(segment);
}
