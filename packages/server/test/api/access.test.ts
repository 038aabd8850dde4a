import { describe, expect, it } from 'vitest';
import { api as table } from '../../src/api/api.js';
import {
  isForOrganizations,
  type Route,
  type Scope,
  scopesOf,
} from '../../src/contract/define-route.js';
import type { ApiResponse } from './api-response.js';
import { type Caller, startForFile } from './start-server.js';

// The cases come from the contract, so they include new routes. test/isolation tests requests
// without a token, without the scope or of another organization.
const guarded = (table as readonly Route[])
  .filter(isForOrganizations)
  .map((route): [string, Route] => [`${route.method.toUpperCase()} ${route.path}`, route]);
const scoped = guarded.flatMap(([name, route]) =>
  (scopesOf(route) ?? []).map((scope): [string, Route, Scope] => [name, route, scope]),
);

const api = await startForFile();

const pathOf = ({ path }: Pick<Route, 'path'>) => path.replace(/\{\w+\}/g, '1');
const ask = (caller: Caller, route: Route, query = ''): Promise<ApiResponse> =>
  caller.send(route.method.toUpperCase(), pathOf(route) + query, {
    headers: { ...(route.body && { 'content-type': 'application/json' }) },
    ...(route.body && { body: '{}' }),
  });

describe('requests carry the header Authorization: Bearer <ACCESS_TOKEN>', () => {
  it.each(['Bearer', 'Basic dXNlcjpwYXNz', 'Bearer a b', `Bearer ${'x'.repeat(8000)}`])(
    '%j is no access token',
    async (authorization) => {
      const response = await api.send('GET', '/api/v1/urls', { headers: { authorization } });
      expect(response.outcome).toBe('401 UNAUTHORIZED');
    },
  );

  it('the scheme is case-insensitive (RFC 9110 §11.1)', async () => {
    const headers = { authorization: `bearer ${api.token}` };
    expect((await api.send('GET', '/api/v1/urls', { headers })).status).toBe(200);
  });

  it('is ignored in the query', async () => {
    const response = await api.visit(`/api/v1/urls?access_token=${api.token}`);
    expect(response.outcome).toBe('401 UNAUTHORIZED');
  });
});

describe('scopes', () => {
  it.each(scoped)('%s accepts a token with only its scope', async (_, route, scope) => {
    // This scope is for one form of the request.
    const query = scope === 'urls:erase' ? '?erase=true' : '';
    const response = await ask(await api.signIn(api.credentials, scope), route, query);
    expect([401, 403]).not.toContain(response.status);
  });

  it('match the specification: urls:read and qr:read for reads, urls:write and qr:write for changes', () => {
    const first = guarded.map(([name, route]) => [name, scopesOf(route)?.[0]]);
    expect(Object.fromEntries(first)).toMatchObject({
      'POST /api/v1/urls': 'urls:write',
      'GET /api/v1/urls': 'urls:read',
      'GET /api/v1/urls/{id}/clicks': 'urls:read',
      'GET /api/v1/urls/{id}': 'urls:read',
      'PATCH /api/v1/urls/{id}': 'urls:write',
      'DELETE /api/v1/urls/{id}': 'urls:write',
      'POST /api/v1/urls/bulk': 'urls:write',
      'PATCH /api/v1/urls/bulk': 'urls:write',
      'DELETE /api/v1/urls/bulk': 'urls:write',
      'GET /api/v1/urls/{id}/qr': 'qr:read',
      'POST /api/v1/qr': 'qr:write',
      'GET /api/v1/qr': 'qr:read',
      'GET /api/v1/qr/{id}': 'qr:read',
      'PATCH /api/v1/qr/{id}': 'qr:write',
      'DELETE /api/v1/qr/{id}': 'qr:write',
      'GET /api/v1/qr/{id}/scans': 'qr:read',
    });
  });

  it('any valid token may read /usage', async () => {
    for (const scope of ['urls:read', 'qr:write']) {
      const caller = await api.signIn(api.credentials, scope);
      expect((await caller.call('getUsage')).status).toBe(200);
    }
  });
});

describe('methods that a path does not have', () => {
  const paths = [...new Set(guarded.map(([, { path }]) => path))];

  it.each(paths)('%s responds with 405 and Allow', async (path) => {
    const declared = guarded.filter(([, route]) => route.path === path);
    const allowed = declared.map(([, route]) => route.method.toUpperCase());
    for (const method of ['PUT', 'GET', 'POST', 'PATCH', 'DELETE']) {
      if (allowed.includes(method)) continue;
      const response = await api.send(method, pathOf({ path }));
      expect(response.outcome).toBe('405 METHOD_NOT_ALLOWED');
      const allow = response.headers.get('allow')?.split(', ') ?? [];
      expect(allow).toEqual(expect.arrayContaining(allowed));
      expect(allow).not.toContain(method);
    }
  });
});
