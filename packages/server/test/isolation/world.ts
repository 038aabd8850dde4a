import { isDeepStrictEqual } from 'node:util';
import { v7 as newUuid } from 'uuid';
import { expect } from 'vitest';
import { api as table } from '../../src/api/api.js';
import type { Route } from '../../src/contract/define-route.js';
import type { ApiResponse } from '../api/api-response.js';
import { type Caller, startServer, type TestServer } from '../api/start-server.js';
import { faultsOf, type Operation, operations } from '../contract/openapi-document.js';
import { changing, type Rows, tablesOf } from '../storage/tables-of.js';
import { sampleListed, sampleRecords } from './hand-made-samples.js';
import {
  type Owner,
  recordsOf,
  type SampleRequest,
  sampleRequests,
  withIds,
} from './sample-requests.js';

const routes: readonly Route[] = table;

// Further tables that a refused request may change: its token, and the next id.
const unwatched = [...changing, 'access_tokens', 'url_id_counter'];

/** A server with several organizations, whose whole database can be compared. */
export class World {
  readonly api: TestServer;

  private constructor(api: TestServer) {
    this.api = api;
  }

  static async start(): Promise<World> {
    const api = await startServer({ allowPrivateNetwork: true });
    // Unusual ids, which responses contain only if they leak.
    await api.server.database.writeDirectly(async (transaction) => {
      await transaction.updateTable('url_id_counter').set({ last_id: firstUrlId }).execute();
    });
    return new World(api);
  }

  async newcomer(): Promise<Caller> {
    return this.api.signIn(await this.api.createOrganization('scale'));
  }

  /** Returns all rows, after every delivery has been attempted. */
  async rows(): Promise<Rows> {
    const { read } = this.api.server.database;
    const unfinished = read
      .selectFrom('deliveries')
      .select('id')
      .where(({ or, eb }) => or([eb('attempts', '=', 0), eb('leased_until', 'is not', null)]));
    await expect.poll(() => unfinished.execute()).toEqual([]);
    return tablesOf(this.api.server.database, unwatched);
  }

  /** Fails with the rows that are new or removed, unless the database is as before. */
  async expectUnchanged(before: Rows): Promise<void> {
    const after = await this.rows();
    if (isDeepStrictEqual(after, before)) return;
    const changes = [
      ...rowsOnlyIn(after, before).map((row) => `new: ${row}`),
      ...rowsOnlyIn(before, after).map((row) => `removed: ${row}`),
    ];
    expect(after, changes.join('\n')).toEqual(before);
  }

  /** Creates the records whose ids a request contains, unless they exist. */
  async prepare(
    request: SampleRequest,
    callers: Readonly<Record<Owner, Caller>>,
    made: Made = { own: new Map(), foreign: new Map() },
  ): Promise<Filled> {
    for (const { whose, collection } of recordsOf(request)) {
      await this.#make(collection, callers[whose], made[whose]);
    }
    await this.#makeListed(request, callers.foreign, made);
    const ids = made.foreign;
    return {
      request: withIds(request, (whose, collection) => made[whose].get(collection) as string),
      foreignIds: [...ids.values()],
      missing: () => {
        const missing = new Map([...ids].map(([name, id]) => [name, missingLike(id)]));
        return {
          ids: [...missing.values()],
          request: withIds(
            request,
            (whose, collection) => (whose === 'own' ? made.own : missing).get(collection) as string,
          ),
        };
      },
    };
  }

  /**
   * Creates the records of a caller whose ids a request contains. Returns the path of the request, its
   * body, and a function that sends it.
   */
  async prepareOwn(caller: Caller, request: SampleRequest, ownBody?: string) {
    const records = new Map<string, string>();
    const made = { own: records, foreign: records };
    const { path, body: sample } = (
      await this.prepare(request, { own: caller, foreign: caller }, made)
    ).request;
    const { route } = request;
    const sender = route.access === 'operator' ? this.api.operator : caller;
    const { headers, ...init } = requestInit(ownBody ?? sample);
    return {
      path,
      body: ownBody ?? sample,
      send: (more: Readonly<Record<string, string>> = {}) =>
        sender.send(route.method.toUpperCase(), path, {
          ...init,
          headers: { ...headers, ...more },
        }),
    };
  }

  /**
   * Expects that records of the owner look nonexistent to a stranger, who has `own` records, and are not
   * changed. Returns the response, and the ids of the owner that the request contains.
   */
  async expectNonexistent(
    request: SampleRequest,
    { stranger, owner }: Readonly<Record<'stranger' | 'owner', Caller>>,
    own: ReadonlyMap<string, string> = new Map(),
  ) {
    const { route } = request;
    const made = { own: new Map(own), foreign: new Map() };
    const filled = await this.prepare(request, { own: stranger, foreign: owner }, made);
    const before = await this.rows();
    const response = await this.send(stranger, route, filled.request);
    await this.expectUnchanged(before);
    if (request.foreign === 'path') expect(response.outcome).toBe('404 NOT_FOUND');
    const missing = filled.missing();
    const nothing = await this.send(stranger, route, missing.request);
    const seen = plainAnswer(response, filled.foreignIds);
    expect(seen).toBe(plainAnswer(nothing, missing.ids));

    // The same request succeeds for the owner. Otherwise the comparison would prove nothing.
    const all = new Map<string, string>();
    const callers = { own: owner, foreign: owner };
    const ofOwner = await this.prepare(request, callers, { own: all, foreign: all });
    const answerToOwner = await this.send(owner, route, ofOwner.request);
    expectValid(answerToOwner, request);
    expect(plainAnswer(answerToOwner, ofOwner.foreignIds)).not.toBe(seen);
    return { response, foreignIds: filled.foreignIds };
  }

  send(caller: Caller, route: Route, { path, body }: Filled['request']): Promise<ApiResponse> {
    const sender = route.access === 'operator' ? this.api.operator : caller;
    return sender.send(route.method.toUpperCase(), path, requestInit(body));
  }

  async #make(collection: string, owner: Caller, made: Map<string, string>): Promise<void> {
    if (made.has(collection)) return;
    const parent = collection.slice(0, Math.max(0, collection.lastIndexOf('/{')));
    if (parent !== '') await this.#make(parent, owner, made);
    const byHand = sampleRecords[collection];
    const id = byHand
      ? await byHand(this.api, owner, made.get(parent) ?? '')
      : await this.#post(collection, owner, made);
    made.set(collection, id);
  }

  async #post(collection: string, owner: Caller, made: Map<string, string>): Promise<string> {
    const route = routes.find(({ method, path }) => method === 'post' && path === collection);
    const [request] = route ? sampleRequests(route) : [];
    if (!route || !request) {
      throw new Error(
        `No route creates records of ${collection}: add one to sampleRecords in test/isolation/hand-made-samples.ts`,
      );
    }
    for (const each of recordsOf(request)) await this.#make(each.collection, owner, made);
    const filled = withIds(request, (_, name) => made.get(name) as string);
    const answer = await this.send(owner, route, filled);
    const { id } = answer.status === 201 ? (answer.data as { id?: string }) : {};
    if (id === undefined) {
      throw new Error(
        `${route.operationId} answered ${answer.status} ${answer.text} to ${filled.body}: add a body to ` +
          'sampleBodies in test/isolation/hand-made-samples.ts',
      );
    }
    return id;
  }

  /** Creates a record that a list with this filter would return. */
  async #makeListed(
    { route, path, field }: SampleRequest,
    owner: Caller,
    made: Made,
  ): Promise<void> {
    if (route.method !== 'get' || field === undefined || !path.includes('?')) return;
    const creator = routes.find(({ method, path }) => method === 'post' && path === route.path);
    const byHand = sampleListed[route.path];
    if (byHand) return byHand(this.api, owner, made.foreign);
    const request = creator && sampleRequests(creator).find((each) => each.field === field);
    if (!creator || !request) {
      throw new Error(
        `${route.path}: the list has the filter ${field}, but its POST has no such field`,
      );
    }
    const filled = withIds(request, (_, collection) => made.foreign.get(collection) as string);
    const { status, text } = await this.send(owner, creator, filled);
    if (status !== 201) throw new Error(`${request.name} answered ${status} ${text}`);
  }
}

/** The ids of records by their collection. */
export type Made = Readonly<Record<Owner, Map<string, string>>>;

interface Filled {
  readonly request: { readonly path: string; readonly body: string | undefined };
  /** The ids of the other organization in it. */
  readonly foreignIds: readonly string[];
  /** Returns the same request with ids that do not exist. */
  missing(): { readonly request: Filled['request']; readonly ids: readonly string[] };
}

const rowsOnlyIn = (rows: Rows, others: Rows) =>
  Object.entries(rows).flatMap(([name, each]) =>
    each.filter((row) => !others[name]?.includes(row)).map((row) => `${name} ${row}`),
  );

const firstUrlId = 700_000_000;

const missingLike = (id: string) => (/^\d+$/.test(id) ? '799999999' : newUuid());

export const requestInit = (body: string | undefined): RequestInit =>
  body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } };

/**
 * Expects that the request was valid, and that openapi.yaml describes the response. It may still be
 * refused, for example as a conflict.
 */
export function expectValid(response: ApiResponse, { name, body, route }: SampleRequest): void {
  const why = `${name} with own ids and the body ${body} answered ${response.status} ${response.text}: if the sample is wrong, add a body to sampleBodies in test/isolation/hand-made-samples.ts`;
  expect(response.status, why).toBeLessThan(500);
  expect([401, 403, 404, 405], why).not.toContain(response.status);
  if (response.status >= 400) expect(response.error.code, why).not.toBe('VALIDATION_FAILED');
  const operation = operations.find(({ operationId }) => operationId === route.operationId);
  expect(faultsOf(operation as Operation, response), why).toEqual([]);
}

/** Returns a response without its request id and without given ids. */
export function plainAnswer({ status, text }: ApiResponse, ids: readonly string[]): string {
  const withoutRequest = text.replace(/"requestId":"[^"]*"/, '');
  // A path has the name of a tag encoded, and the response has it as it is.
  const shown = ids.map(decodeURIComponent);
  return `${status} ${shown.reduce((plain, id) => plain.replaceAll(id, '(id)'), withoutRequest)}`;
}
