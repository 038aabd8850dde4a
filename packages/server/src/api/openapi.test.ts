import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readContract } from '../../../../scripts/read-contract.mjs';
import { errorsOf, renderOpenApi } from '../../scripts/render-openapi.js';
import { isWrite, type Route } from '../contract/define-route.js';
import { errorStatus } from '../contract/error-codes.js';
import { rateLimitFields } from '../contract/rate-limit.js';
import { takesIfMatch } from '../preconditions/if-match.js';
import { api } from './api.js';

const committed = readFileSync(new URL('../../../../openapi.yaml', import.meta.url), 'utf8');

interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, { readonly schema: object }>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly responses: Readonly<Record<string, Response>>;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, object>>;
}

describe('openapi.yaml', () => {
  it('equals the rendered contract; if it does not, run `npm run generate`', () => {
    expect(renderOpenApi()).toBe(committed);
  });

  it('has every route of the table and no other', () => {
    const { paths } = parse(committed) as { paths: Record<string, Record<string, unknown>> };
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(described.sort()).toEqual(api.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it('names each operation once', () => {
    const ids = api.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('refers to every shared component, and repeats no header, parameter or error response', () => {
    const { components, paths } = parse(committed) as OpenApi;
    for (const kind of ['headers', 'parameters', 'responses', 'schemas']) {
      for (const name of Object.keys(components[kind] ?? {})) {
        expect(committed).toContain(`$ref: "#/components/${kind}/${name}"`);
      }
    }
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    const inline = operations.flatMap(({ parameters = [], responses }) => [
      ...parameters.filter((parameter) => !('$ref' in parameter)),
      ...Object.entries(responses)
        .filter(([status, response]) => Number(status) >= 400 && !('$ref' in response))
        .map(([, response]) => response),
    ]);
    const texts = inline.map((each) => JSON.stringify(each));
    expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([]);
  });
});

describe('an operation of openapi.yaml, with its references resolved', () => {
  const { paths } = readContract() as OpenApi;
  const routes: readonly Route[] = api;

  it.each(routes.map((route) => [route.operationId, route] as const))(
    '%s has the parameters, statuses, codes, headers and bodies of its route',
    (_, route) => {
      const operation = paths[route.path]?.[route.method];
      const { parameters = [], responses } = operation as Operation;
      expect(parameters.map((parameter) => `${parameter.in} ${parameter.name}`).sort()).toEqual(
        [
          ...Object.keys(route.params?.shape ?? {}).map((name) => `path ${name}`),
          ...Object.keys(route.query?.shape ?? {}).map((name) => `query ${name}`),
          ...(isWrite(route) ? ['header Idempotency-Key'] : []),
          ...(takesIfMatch(route) ? ['header If-Match'] : []),
        ].sort(),
      );
      const errors = errorsOf(route);
      const fromHttp = route.tag === 'Operations' ? [400, 408, 431] : [];
      const statuses = [
        ...Object.keys(route.responses),
        ...fromHttp.map(String),
        ...errors.map((code) => String(errorStatus[code])),
      ];
      expect(Object.keys(responses).sort()).toEqual([...new Set(statuses)].sort());
      for (const [status, response] of Object.entries(responses)) {
        const codes = errors.filter((code) => String(errorStatus[code]) === status);
        expect(response.headers).toHaveProperty('X-Request-Id.schema');
        if (codes.length === 0) continue;
        expect(response.description).toBe(codes.join(', '));
        expect(Object.keys(response.headers)).toEqual([
          'X-Request-Id',
          ...(codes.includes('RATE_LIMITED')
            ? [...Object.keys(rateLimitFields), 'Retry-After']
            : []),
          ...(codes.includes('UNAVAILABLE') ? ['Retry-After'] : []),
        ]);
        expect(Object.keys(response.content ?? {})).toEqual([
          'application/json',
          ...(route.isForVisitors ? ['text/html'] : []),
        ]);
        expect(response.content?.['application/json']).toMatchObject({
          schema: { [route.formError ? 'anyOf' : '$ref']: expect.anything() },
        });
      }
    },
  );
});
