import { v7 as newUuid } from 'uuid';
import { afterAll, onTestFinished } from 'vitest';
import type { z } from 'zod';
import { type ApiRoute, api } from '../../src/api/api.js';
import { type Credentials, clientOf } from '../../src/auth/client-repository.js';
import { newSecret } from '../../src/auth/secrets.js';
import { scopes as allScopes, type Route, type Scope } from '../../src/contract/define-route.js';
import { createServer } from '../../src/create-server.js';
import { createOrganizationRepository } from '../../src/organizations/organization-repository.js';
import type { PlanName } from '../../src/organizations/plans.js';
import type { ServerOptions } from '../../src/server-options.js';
import type { Database } from '../../src/storage/database.js';
import { emptyDatabase, engine } from '../engine.js';
import { poll } from '../poll.js';
import type { ApiResponse } from './api-response.js';
import { contractFetch } from './contract-fetch.js';
import { Zone } from './zone.js';

type OperationId = ApiRoute['operationId'];
type RouteOf<Id extends OperationId> = Extract<ApiRoute, { operationId: Id }>;
type DataOf<R extends Route> = {
  [Status in keyof R['responses']]: R['responses'][Status] extends { data: infer S }
    ? S extends z.ZodType
      ? z.output<S>
      : never
    : never;
}[keyof R['responses']];

/** The headers of a visit that counts as a click. */
export const person = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
};

type QueryValue = string | number | boolean;

export interface Call {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[]>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An API client with one access token. */
export interface Caller {
  readonly token: string;
  readonly organizationId: string;
  /** Calls an operation. Fails if the contract does not declare the response. */
  call<Id extends OperationId>(id: Id, call?: Call): Promise<ApiResponse<DataOf<RouteOf<Id>>>>;
  send(method: string, path: string, init?: RequestInit): Promise<ApiResponse>;
  /** Creates a link to https://example.com/, or with other fields, and returns it. */
  createLink(fields?: object): Promise<DataOf<RouteOf<'createUrl'>>>;
  getLink(id: string): Promise<DataOf<RouteOf<'getUrl'>>>;
}

export type TestServer = Awaited<ReturnType<typeof startServer>>;

export interface TestClock {
  (): number;
  advance(ms: number): void;
}

export function testClock(start = Date.UTC(2030, 0, 1)): TestClock {
  let now = start;
  return Object.assign(() => now, {
    advance(ms: number) {
      now += ms;
    },
  });
}

export const testOperatorKey = 'operator-key-of-the-tests-0123456789';

/** Starts a server in this process with its own clock, and a caller with every scope. */
export async function startServer(options: ServerOptions = {}) {
  const clock = testClock();
  const zone = new Zone();
  const empty = engine() === 'postgres' && !options.databaseUrl ? await emptyDatabase() : undefined;
  const fixed = { clock, resolveTxt: zone.resolveTxt, operatorKey: testOperatorKey };
  // The function that removes an empty database is no option.
  const { remove: _, ...settings }: ServerOptions & { remove?: unknown } = { ...empty, ...options };
  const server = createServer({ ...fixed, ...settings });
  await server.start();
  const base = server.url;
  const credentials = server.credentials;
  if (!credentials) throw new Error('the database is not empty');

  async function signIn(client: Credentials, scope?: string): Promise<Caller> {
    const response = await requestToken(base, {
      ...client,
      ...(scope !== undefined && { scope }),
    });
    const { accessToken } = response.data as { accessToken: string };
    const { organization_id } = await server.database.read
      .selectFrom('clients')
      .select('organization_id')
      .where('id', '=', client.clientId)
      .executeTakeFirstOrThrow();
    return callerOf(base, accessToken, organization_id);
  }

  async function createOrganization(plan: PlanName, scopes: readonly Scope[] = allScopes) {
    const created = {
      clientId: newSecret('clientId'),
      clientSecret: newSecret('clientSecret'),
    };
    const id = newUuid();
    await createOrganizationRepository(server.database).create(
      { id, name: plan, plan, createdAt: (options.clock ?? clock)() },
      clientOf(id, created, scopes),
    );
    return created;
  }

  await grantAllScopes(server.database);
  const api = await signIn(credentials);
  return {
    ...api,
    server,
    /** The server's clock, which only `advance` moves. */
    clock,
    /** The TXT records that the server looks up. */
    zone,
    credentials,
    /** Sends the operator key instead of a token. */
    operator: callerOf(base, testOperatorKey, ''),
    signIn,
    /** Returns the response to a visit without following redirects. */
    visit: (path: string, init?: RequestInit) => contractFetch(base + path, init),
    /** Visits a link, and resolves when the click is stored. */
    async click(id: string): Promise<void> {
      const { shortCode } = await api.getLink(id);
      await contractFetch(`${base}/${shortCode}`, { headers: person });
      const clicks = async () => (await api.getLink(id)).clickCount;
      await poll('a stored click', clicks, (count) => count > 0);
    },
    createOrganization,
    /** Returns a caller of a new organization. */
    newcomer: async (plan: PlanName) => signIn(await createOrganization(plan)),
    /** Creates a domain, sets its record, and verifies it. */
    async addDomain(hostname: string, caller: Caller = api) {
      const { data } = await caller.call('createDomain', { body: { hostname } });
      zone.set(data.txtRecord.name, [data.txtRecord.value]);
      const verified = await caller.call('verifyDomain', { params: { id: data.id } });
      if (verified.status !== 200) throw new Error(verified.text);
      return data;
    },
    async stop() {
      await server.stop();
      await empty?.remove();
    },
  };
}

/** Starts a server that stops when the tests of the file have finished. */
export async function startForFile(options: ServerOptions = {}): Promise<TestServer> {
  const api = await startServer(options);
  afterAll(() => api.stop());
  return api;
}

/** Starts a server that stops when the test has finished. */
export async function startForTest(options: ServerOptions = {}): Promise<TestServer> {
  const api = await startServer(options);
  onTestFinished(() => api.stop());
  return api;
}

/** Requests a token with JSON. */
export const requestToken = (base: string, body: object, headers: Record<string, string> = {}) =>
  contractFetch(`${base}/api/v1/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

export function callerOf(base: string, token: string, organizationId: string): Caller {
  const send: Caller['send'] = (method, path, { headers, ...init } = {}) =>
    contractFetch(base + path, {
      ...init,
      method,
      headers: { authorization: `Bearer ${token}`, ...Object.fromEntries(new Headers(headers)) },
    });
  const caller: Caller = {
    token,
    organizationId,
    send,
    async createLink(fields = {}) {
      const body = { targetUrl: 'https://example.com/', ...fields };
      return (await caller.call('createUrl', { body })).data;
    },
    getLink: async (id) => (await caller.call('getUrl', { params: { id } })).data,
    async call<Id extends OperationId>(id: Id, { params, query, body, headers }: Call = {}) {
      const route = api.find(({ operationId }) => operationId === id) as ApiRoute;
      const path = route.path.replace(/\{(\w+)\}/g, (_, name) => String(params?.[name]));
      const search = new URLSearchParams(
        Object.entries(query ?? {}).flatMap(([name, values]) =>
          [values].flat().map((value): [string, string] => [name, String(value)]),
        ),
      );
      const response = await send(
        route.method.toUpperCase(),
        query ? `${path}?${search}` : path,
        body === undefined
          ? { headers: { ...headers } }
          : {
              headers: { 'content-type': 'application/json', ...headers },
              body: JSON.stringify(body),
            },
      );
      return response as ApiResponse<DataOf<RouteOf<Id>>>;
    },
  };
  return caller;
}

/** Gives the clients all scopes. The first client of a database has all but urls:erase. */
export async function grantAllScopes(database: Database): Promise<void> {
  await database.writeDirectly((transaction) =>
    transaction
      .updateTable('clients')
      .set({ scopes: allScopes.join(' ') })
      .execute(),
  );
}
