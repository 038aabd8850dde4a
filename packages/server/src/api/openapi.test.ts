import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { api } from './api.js';
import { renderOpenApi } from './openapi.js';

const committed = readFileSync(new URL('../../../../openapi.yaml', import.meta.url), 'utf8');

describe('openapi.yaml', () => {
  it('is what the contract renders: run `npm run generate` when it is not', () => {
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
});
