import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderOpenApi } from '../../scripts/render-openapi.js';
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
