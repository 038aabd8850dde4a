import { expect } from 'vitest';
import { z } from 'zod';
import { errorsOf } from '../../scripts/render-openapi.js';
import { api } from '../../src/api/api.js';
import type { Route, RouteResponse } from '../../src/contract/define-route.js';
import { type ErrorCode, errorResponse, errorStatus } from '../../src/contract/errors.js';
import { ApiResponse } from './api-response.js';

const routes: readonly Route[] = api;

/** Sends a request without following redirects. Fails if the contract does not allow the response. */
export async function contractFetch(url: string, init: RequestInit = {}): Promise<ApiResponse> {
  const fetched = await fetch(url, { redirect: 'manual', ...init });
  const response = new ApiResponse(fetched, await fetched.text());
  const method = init.method ?? 'GET';
  const { pathname } = new URL(url);
  const contentType = new Headers(init.headers).get('content-type') ?? '';
  checkResponse(response, { method, pathname, contentType });
  return response;
}

interface RequestSummary {
  readonly method: string;
  readonly pathname: string;
  readonly contentType: string;
}

export function checkResponse(response: ApiResponse, request: RequestSummary): void {
  const onPath = routes.filter((route) => matches(route.path, request.pathname));
  const literal = onPath.filter((route) => route.path === request.pathname);
  const candidates = literal.length > 0 ? literal : onPath;
  const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase();
  const route = candidates.find((candidate) => candidate.method === method);
  const what = `${request.method} ${request.pathname}: ${response.status} ${response.text.slice(0, 400)}`;

  expect(response.headers.get('x-request-id'), `${what}: X-Request-Id`).toMatch(/^[\w.:-]{1,128}$/);
  expect(response.status, what).toBeLessThan(600);
  if (request.method === 'HEAD') {
    expect(response.text, `${what}: HEAD has no body`).toBe('');
    const success = route?.responses[response.status];
    if (route && !success) checkCodeIsDeclared(route, response.status, undefined, what);
    return;
  }
  const success = route?.responses[response.status];
  const isForm = request.contentType.startsWith('application/x-www-form');
  const formBody = success && 'formBody' in success ? success.formBody : route?.formError;
  if (isForm && formBody) {
    expect(formBody.safeParse(response.body).error, what).toBeUndefined();
  } else if (success) {
    checkSuccess(response, success, what);
    const etag = response.headers.get('etag');
    if (route?.hasVersions) expect(etag, `${what}: ETag`).toMatch(/^"[0-9a-z]+"$/);
  } else {
    checkError(response, route, candidates.length > 0, what);
  }
}

function checkSuccess(response: ApiResponse, declared: RouteResponse, what: string): void {
  if ('data' in declared) {
    expect(response.headers.get('content-type'), what).toMatch(/^application\/json/);
    const schema = z.strictObject({ success: z.literal(true), data: declared.data });
    const parsed = schema.safeParse(response.body);
    expect(parsed.error, what).toBeUndefined();
    // Parsing drops fields that the contract does not declare.
    expect(response.body, `${what}: undeclared fields`).toEqual(parsed.data);
  } else if ('body' in declared) {
    expect(declared.body.safeParse(response.body).error, what).toBeUndefined();
  } else if ('mediaType' in declared) {
    const [mediaType] = (response.headers.get('content-type') ?? '').split('; ');
    expect(
      [declared.mediaType].flat().map((type) => type.split('; ')[0]),
      what,
    ).toContain(mediaType);
  } else {
    for (const name of Object.keys(declared.headers)) {
      expect(response.headers.get(name), `${what}: ${name}`).toMatch(/^[\x21-\x7e]+$/);
    }
  }
}

function checkError(
  response: ApiResponse,
  route: Route | undefined,
  isPath: boolean,
  what: string,
): void {
  if ((response.headers.get('content-type') ?? '').startsWith('text/html')) {
    // Pages outside the API: the home page, and the page for unknown paths.
    if (!route) expect([200, 404], what).toContain(response.status);
    else {
      expect(route.isForVisitors, `${what}: only routes for visitors return pages`).toBe(true);
      checkCodeIsDeclared(route, response.status, undefined, what);
    }
    return;
  }
  expect(response.headers.get('content-type'), what).toMatch(/^application\/json/);
  const parsed = errorResponse.safeParse(response.body);
  expect(parsed.error, what).toBeUndefined();
  expect(response.body, `${what}: undeclared fields`).toEqual(parsed.data);
  const { code, requestId } = response.error;
  expect(requestId, what).toBe(response.headers.get('x-request-id'));
  expect(response.status, `${what}: the status of ${code}`).toBe(errorStatus[code]);
  if (route) checkCodeIsDeclared(route, response.status, code, what);
  else expect(code, what).toBe(isPath ? 'METHOD_NOT_ALLOWED' : 'NOT_FOUND');
  if (code === 'METHOD_NOT_ALLOWED') expect(response.headers.get('allow'), what).toBeTruthy();
  if (code === 'UNAUTHORIZED') expect(response.headers.get('www-authenticate'), what).toBeTruthy();
  if (code === 'RATE_LIMITED' || code === 'UNAVAILABLE') {
    expect(response.headers.get('retry-after'), what).toMatch(/^\d+$/);
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
        ? /^[A-Za-z0-9%._~+!'()*-]+$/.test(given[index] ?? '') && isOurs(path, given[index] ?? '')
        : segment === given[index],
    )
  );
}

// A segment that cannot be a code or slug belongs to a page.
function isOurs(path: string, segment: string): boolean {
  return path !== '/{code}' || /^[A-Za-z0-9][A-Za-z0-9-]{1,48}[A-Za-z0-9]$/.test(segment);
}
