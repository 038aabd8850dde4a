import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { afterAll, describe, expect, it } from 'vitest';
import { api as table } from '../../src/api/api.js';
import type { Route } from '../../src/contract/define-route.js';
import { sampleRequests } from '../isolation/sample-requests.js';
import { requestInit, World } from '../isolation/world.js';
import {
  checkerOf,
  type Operation,
  openApi,
  operations,
  resolve,
  type Schema,
} from './openapi-document.js';

const ofBody = checkerOf(openApi);
const ofParameter = checkerOf(openApi, { coerceTypes: true });

const world = await World.start();
const background = { r: 0, g: 0, b: 0 };
const png = await sharp({ create: { width: 8, height: 8, channels: 3, background } })
  .png()
  .toBuffer();
const logos = createServer((_, response) => response.end(png));
logos.listen(0, '127.0.0.1');
await once(logos, 'listening');
const logoOrigin = `http://127.0.0.1:${(logos.address() as AddressInfo).port}/`;
afterAll(async () => {
  logos.close();
  await world.api.stop();
});

// Parameters and fields of which only some values within the limits are valid.
const withForms = new Set(['after', 'shortUrl', 'host', 'confirm', 'timezone', 'referrer', 'set']);

let count = 0;

/** Returns a text of a length that breaks no other rule of its field. */
function textOf(field: string, length: number, filler = 'a'): string {
  const starts: Record<string, string> = {
    targetUrl: 'https://example.com/',
    logoUrl: logoOrigin,
    url: 'http://127.0.0.1:2/',
  };
  count += 1;
  const start = starts[field] ?? (field === 'customSlug' ? `${count}` : '');
  return (start + filler.repeat(length)).slice(0, length);
}

/** Returns a text of a length in bytes, of which most characters have two. */
function textOfBytes(field: string, bytes: number): string {
  const start = textOf(field, 40);
  return `${start}${'ü'.repeat((bytes - 40) >> 1)}${'a'.repeat(bytes % 2)}`;
}

/** Values for fields whose example is not valid on its own, or at the time of the tests. */
const validValues = (): Readonly<Record<string, string>> => ({
  logoUrl: logoOrigin,
  backgroundColor: '#FFFFFF',
  since: '2029-12-01',
  country: 'DE',
});

type Edge = readonly [limit: string, value: unknown];

/** Returns values at both edges of each limit of a schema. */
function edgesOf(given: Schema, field: string): Edge[] {
  const schema = resolve(given);
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, maxProperties } = schema;
  const { pattern, enum: values, items, propertyNames, additionalProperties } = schema;
  const maxBytes = schema['x-maxBytes'];
  const edges: Edge[] = [];
  const around = (limit: string, at: number | undefined, make: (at: number) => unknown) => {
    if (at === undefined) return;
    const beyond = /^min/.test(limit) ? at - 1 : at + 1;
    for (const each of [at, beyond]) {
      if (each >= 0) edges.push([`${limit} ${each}`, make(each)]);
    }
  };
  around('minLength', minLength, (length) => textOf(field, length));
  around('maxLength', maxLength, (length) => textOf(field, length));
  // Characters of two UTF-16 units.
  if (maxLength !== undefined && maxBytes === undefined && pattern === undefined) {
    around('maxLength in astral characters', maxLength, (length) => '🌷'.repeat(length));
  }
  around('bytes', maxBytes, (bytes) => textOfBytes(field, bytes));
  if (Number.isInteger(minimum)) around('minimum', minimum, (value) => value);
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) {
    around('maximum', maximum, (value) => value);
  }
  if (pattern !== undefined || values) {
    const example = validValues()[field] ?? schema.example ?? values?.[0];
    edges.push(['a wrong value', 'nonsense'], ['a valid value', example]);
  }
  if (items) {
    const item = resolve(items);
    const known = item.enum?.[0] ?? item.example ?? 'a';
    around('minItems', minItems, (length) => Array(length).fill(known));
    around('maxItems', maxItems, (length) => Array(length).fill(known));
    edges.push(...edgesOf(item, field).map(([limit, value]): Edge => [`item: ${limit}`, [value]]));
  }
  const pairs = (length: number) =>
    Object.fromEntries(Array.from({ length }, (_, at) => [`p${at}`, 'x']));
  around('maxProperties', maxProperties, pairs);
  if (propertyNames) {
    edges.push(
      ...edgesOf(propertyNames, '').map(
        ([limit, name]): Edge => [`name: ${limit}`, { [name as string]: 'x' }],
      ),
    );
  }
  if (typeof additionalProperties === 'object') {
    edges.push(
      ...edgesOf(additionalProperties, '').map(([limit, value]): Edge => [limit, { p: value }]),
    );
  }
  return edges;
}

// An upsert of a link that exists cannot change them.
const setAtCreation = new Set([
  'customSlug',
  'importedCode',
  'importedClicks',
  'importedCreatedAt',
]);

/** Fields that are valid only together with others. */
function companionsOf(operationId: string, field: string): object {
  // The field before it may have set a later start.
  if (field === 'expiresAt' && /Url/.test(operationId)) return { activatesAt: null };
  if (field === 'password' && /Url/.test(operationId)) return { isPasswordProtected: true };
  if (!['createQr', 'previewQrDesign'].includes(operationId) || field === 'urlId') return {};
  if (field === 'data') return { size: 2048, errorCorrectionLevel: 'L' };
  return { data: 'x', ...(field === 'logoUrl' && { errorCorrectionLevel: 'H' }) };
}

const routes: readonly Route[] = table;
const routeOf = ({ operationId }: Operation) =>
  routes.find((route) => route.operationId === operationId) as Route;

/** Returns whether the server accepts a request. It may still refuse it for its state. */
async function accepts(operation: Operation, path: string, body: unknown, headers = {}) {
  const { operator, token: own } = world.api;
  const token = operation.path.startsWith('/api/v1/admin/') ? operator.token : own;
  const response = await fetch(world.api.server.url + path, {
    ...requestInit(body === undefined ? undefined : JSON.stringify(body)),
    method: operation.method.toUpperCase(),
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      authorization: `Bearer ${token}`,
      ...headers,
    },
  });
  const text = await response.text();
  expect(response.status, text).toBeLessThan(500);
  return { isAccepted: !(response.status === 400 && text.includes('VALIDATION_FAILED')), text };
}

/** Returns the path of an operation, and a body with its required fields. */
async function prepared(operation: Operation) {
  if (operation.operationId === 'createToken') {
    return { path: operation.path, body: { clientId: 'x', clientSecret: 'x' } };
  }
  const [sample] = sampleRequests(routeOf(operation));
  if (!sample) throw new Error(`${operation.operationId} has no sample request`);
  const { path, body } = await world.prepareOwn(world.api, sample);
  return { path, body: body ? JSON.parse(body) : {} };
}

// A token is refused before the body of a route for sessions is checked.
const inApi = operations.filter(
  (operation) => operation.path.startsWith('/api/v1/') && routeOf(operation).access !== 'session',
);
const json = 'application/json';

describe('both edges of each limit of a body agree with openapi.yaml', () => {
  // A preview has the body of a create, and takes as long.
  const withBody = inApi.filter(
    ({ requestBody, operationId }) => requestBody && operationId !== 'previewQrDesign',
  );

  it.each(withBody.map((operation) => [operation.operationId, operation] as const))(
    '%s',
    async (operationId, operation) => {
      const schema = resolve(operation.requestBody?.content[json]?.schema as Schema);
      const where = ['paths', operation.path, operation.method, 'requestBody', 'content', json];
      const { path, body } = await prepared(operation);
      const unknown = await accepts(operation, path, { ...body, tilte: 'x' });
      expect(unknown).toEqual({ isAccepted: false, text: expect.stringContaining('"tilte"') });
      let compared = 0;
      for (const [field, property] of Object.entries(schema.properties ?? {})) {
        for (const [limit, value] of edgesOf(property, field)) {
          const required = schema.required ?? [];
          const base = Object.fromEntries(
            Object.entries(body).filter(([name]) => required.includes(name)),
          );
          const sent = { ...base, ...companionsOf(operationId, field), [field]: value };
          const expected = ofBody([...where, 'schema'], sent).length === 0;
          const { isAccepted, text } = await accepts(operation, path, sent);
          compared += 1;
          if (expected && withForms.has(field)) continue;
          // Its values are a setting of the server.
          if (expected && field === 'plan') continue;
          if (expected && operationId === 'upsertUrl' && setAtCreation.has(field)) continue;
          expect(isAccepted, `${field}: ${limit}: ${text}`).toBe(expected);
          if (!isAccepted) expect(text).toContain(`"path":"${field}`);
        }
      }
      if (operationId !== 'createDomain') expect(compared).toBeGreaterThan(0);
    },
    60_000,
  );
});

describe('both edges of each limit of a parameter agree with openapi.yaml', () => {
  const withParameters = inApi.filter((operation) =>
    (operation.parameters ?? []).some(({ in: place }) => place !== 'path'),
  );

  it.each(withParameters.map((operation) => [operation.operationId, operation] as const))(
    '%s',
    async (_, operation) => {
      const { path, body } = await prepared(operation);
      const input = operation.requestBody && body;
      const [target = '', required] = path.split('?');
      if (operation.parameters.some(({ in: place }) => place === 'query')) {
        const unknown = await accepts(operation, `${path}${required ? '&' : '?'}limt=5`, input);
        expect(unknown).toEqual({ isAccepted: false, text: expect.stringContaining('"limt"') });
      }
      for (const [at, parameter] of operation.parameters.entries()) {
        if (parameter.in === 'path') continue;
        const where = ['paths', operation.path, operation.method, 'parameters', at, 'schema'];
        for (const [limit, value] of edgesOf(parameter.schema, parameter.name)) {
          const isInQuery = parameter.in === 'query';
          const text = String(value);
          // fetch cannot send other headers.
          if (!isInQuery && !/^[\x20-\x7e]*$/.test(text)) continue;
          const texts = Array.isArray(value) ? value.map(String) : [text];
          // The sample has the parameters that are required.
          const fields = new URLSearchParams(required);
          if (isInQuery) fields.delete(parameter.name);
          for (const each of isInQuery ? texts : []) fields.append(parameter.name, each);
          const headers = isInQuery ? {} : { [parameter.name]: text };
          const sent = operation.requestBody && !isInQuery ? body : undefined;
          const expected = ofParameter(where, value).length === 0;
          const answer = await accepts(operation, `${target}?${fields}`, sent, headers);
          const what = `${parameter.name}: ${limit}: ${answer.text}`;
          if (expected && withForms.has(parameter.name)) continue;
          expect(answer.isAccepted, what).toBe(expected);
          if (!answer.isAccepted) expect(answer.text).toContain(`"path":"${parameter.name}`);
        }
      }
    },
    60_000,
  );
});
