import type { Route } from '../../src/contract/define-route.js';
import { inputOf, resolve, type Schema } from '../contract/openapi-document.js';
import { sampleBodies, sampleQueries } from './hand-made-samples.js';

/**
 * A placeholder for an id in a request: the owner of the record (`own` is the caller, `foreign` is
 * another organization) and its collection.
 */
const placeholder = /«(own|foreign) ([^»]+)»/g;
export type Owner = 'own' | 'foreign';
const idFor = (whose: Owner, collection: string) => `«${whose} ${collection}»`;

/** A valid request for a route, with placeholders for ids. */
export interface SampleRequest {
  readonly name: string;
  readonly route: Route;
  readonly path: string;
  /** JSON. */
  readonly body: string | undefined;
  /** Where it contains ids of another organization. */
  readonly foreign: 'path' | 'input' | 'none';
  /** The optional field that it tests. */
  readonly field: string | undefined;
}

/**
 * Returns the requests that test a route: one with the required fields, one for each field of query
 * and body that contains an id, and one for each further id in the path, after an id of the caller.
 * Throws if a schema has too little information; the message says what to add.
 */
export function sampleRequests(route: Route): SampleRequest[] {
  const { query, body, needsBody } = inputOf(route);
  const name = `${route.method.toUpperCase()} ${route.path}`;
  const toPath = (whose: Owner, tried?: string) =>
    route.path.replace(/\{(\w+)\}/g, (_, name: string, at: number) =>
      idFor(name === tried ? 'foreign' : whose, route.path.slice(0, at - 1)),
    );
  const [, ...inner] = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const bodyWith = (include: string | undefined) =>
    JSON.stringify(sample(body as Schema, { route, include, at: '' }));
  const handMade = sampleBodies[route.operationId];
  const sampleQuery = sampleQueries[route.operationId];
  const search = sampleQuery === undefined ? '' : `?${sampleQuery}`;
  // An optional body is sent only if it has required fields.
  const hasBody = body !== undefined && (needsBody || resolve(body).required !== undefined);
  const plain = handMade ? JSON.stringify(handMade()) : hasBody ? bodyWith(undefined) : undefined;
  // A PUT creates a record with an id of the caller's choice.
  const path = toPath(route.operationId === 'upsertUrl' ? 'own' : 'foreign') + search;
  return [
    request(name, { route, path, body: plain, field: undefined }),
    ...inner.map((field) =>
      request(`${name} of one's own`, { route, path: toPath('own', field), body: plain, field }),
    ),
    ...query
      .filter((parameter) => isIdName(parameter.name))
      .map(({ name: field }) => {
        const start = toPath('own') + (search === '' ? '?' : `${search}&`);
        const path = `${start}${field}=${idFor('foreign', collectionOf(field, route))}`;
        return request(`${name} ?${field}`, { route, path, body: undefined, field });
      }),
    ...(body ? idFieldsOf(body) : []).map((field) =>
      request(`${name} { ${field} }`, {
        route,
        path: toPath('own'),
        body: bodyWith(field),
        field,
      }),
    ),
  ];
}

function request(name: string, parts: Omit<SampleRequest, 'name' | 'foreign'>): SampleRequest {
  const isForeign = (text = '') => text.includes('«foreign ');
  const [path, query] = parts.path.split('?');
  const isInInput = isForeign(query) || isForeign(parts.body);
  return { ...parts, name, foreign: isForeign(path) ? 'path' : isInInput ? 'input' : 'none' };
}

/** Returns the records whose ids a request contains. */
export function recordsOf({ path, body = '' }: SampleRequest) {
  return [...`${path} ${body}`.matchAll(placeholder)].map(([, whose, collection]) => ({
    whose: whose as Owner,
    collection: collection as string,
  }));
}

/** Returns the request with ids instead of placeholders. */
export function withIds(
  { path, body }: SampleRequest,
  find: (whose: Owner, collection: string) => string,
) {
  const fill = (text: string) =>
    text.replace(placeholder, (_, whose, collection) => find(whose, collection));
  return { path: fill(path), body: body && fill(body) };
}

// An external id is of the caller's choice and names no record of another organization.
const isIdName = (name: string) => /^ids?$|Ids?$/.test(name) && name !== 'externalId';

/** Returns the collection of the records that a field of this name refers to. */
function collectionOf(field: string, { path }: Route): string {
  const [, api, version, collection] = path.split('/');
  const noun = field.replace(/(?:^i|I)ds?$/, '');
  if (noun === '') return `/${api}/${version}/${collection}`;
  return `/${api}/${version}/${noun === 'qr' ? noun : `${noun}s`}`;
}

/** Returns the paths of all fields that contain an id, such as `urls[].domainId`. */
function idFieldsOf(schema: Schema, at = ''): string[] {
  const { properties, items } = resolve(schema);
  if (items) return idFieldsOf(items, `${at}[]`);
  return Object.entries(properties ?? {}).flatMap(([name, property]) => {
    const path = at === '' ? name : `${at}.${name}`;
    return isIdName(name) ? [path] : idFieldsOf(property, path);
  });
}

interface Wanted {
  readonly route: Route;
  /** An optional field to include. */
  readonly include: string | undefined;
  readonly at: string;
}

function sample(schema: Schema, wanted: Wanted): unknown {
  const resolved = resolve(schema);
  const { properties, items, type, example, minimum } = resolved;
  const { route, include, at } = wanted;
  const field = at.replace(/\[\]$/, '').split('.').at(-1) ?? '';
  if (items) return [sample(items, { ...wanted, at: `${at}[]` })];
  if (isIdName(field)) {
    const isTried = include === undefined || include === at.replace(/\[\]$/, '');
    return idFor(isTried ? 'foreign' : 'own', collectionOf(field, route));
  }
  if (properties) {
    const pathOf = (name: string) => (at === '' ? name : `${at}.${name}`);
    const required = Object.keys(properties).filter(
      (name) => resolved.required?.includes(name) || isWithin(include, pathOf(name)),
    );
    // An update must change at least one field.
    const [first] = Object.keys(properties);
    const names = required.length > 0 || first === undefined ? required : [first];
    return Object.fromEntries(
      names.map((name) => [
        name,
        sample(properties[name] as Schema, { ...wanted, at: pathOf(name) }),
      ]),
    );
  }
  for (const known of [example, resolved.const, resolved.default, resolved.enum?.[0], minimum]) {
    if (known !== undefined) return known;
  }
  if (type === 'boolean') return true;
  throw new Error(
    `${route.operationId}: the field ${at} has no example. Add one in ` +
      `the contract (.meta({ example: … })), or a body to ${route.operationId} in ` +
      'test/isolation/hand-made-samples.ts',
  );
}

/** Returns whether the field to include is this field or a field inside it. */
function isWithin(include: string | undefined, path: string): boolean {
  return include?.startsWith(path) === true && /^(?:$|[.[])/.test(include.slice(path.length));
}
