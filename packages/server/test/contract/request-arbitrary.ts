import fc from 'fast-check';
import type { Operation, Parameter, Sent } from './openapi-document.js';
import { anything, type SchemaArbitraries, spoiled } from './schema-arbitrary.js';

const form = 'application/x-www-form-urlencoded';

/** Requests to an operation, most of them nearly right: valid ones, spoiled ones, and nonsense. */
export function requestsTo(
  operation: Operation,
  values: SchemaArbitraries,
  token: string,
): fc.Arbitrary<Sent> {
  const parametersIn = (place: Parameter['in']) =>
    operation.parameters.filter((parameter) => parameter.in === place);
  const texts = (parameters: readonly Parameter[]) =>
    fc.record(
      Object.fromEntries(
        parameters.map(({ name, schema }) => [
          name,
          mostly(values.named(name, schema).map(String)),
        ]),
      ),
      { requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name) },
    );
  return fc
    .record({
      path: texts(parametersIn('path')),
      query: texts(parametersIn('query')),
      more: rarely(fc.dictionary(fc.string({ maxLength: 6 }), fc.string(), { maxKeys: 1 }), {}),
      headers: fc.record(
        Object.fromEntries(
          // Not their examples: a key that was used before would be a conflict each time.
          parametersIn('header').map(({ name, schema }) => [
            name,
            values.valueOf(schema).map(String),
          ]),
        ),
        { requiredKeys: [] },
      ),
      accept: fc.constantFrom('*/*', 'application/json', 'text/html,*/*;q=0.8'),
      authorization: rarely(fc.constantFrom('', 'Bearer x', 'Basic eDp5'), `Bearer ${token}`),
      content: contentOf(operation, values),
    })
    .map(({ path, query, more, headers, accept, authorization, content }) => {
      const search = new URLSearchParams({ ...query, ...more }).toString();
      const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent((path[name] as string).toWellFormed()),
      );
      return {
        method: operation.method.toUpperCase(),
        path: search === '' ? filled : `${filled}?${search}`,
        headers: {
          accept,
          ...(authorization && { authorization }),
          ...inHeaders(headers),
          ...(content && { 'content-type': content.type }),
        },
        ...(content && { body: content.body }),
      };
    });
}

function contentOf({ requestBody }: Operation, values: SchemaArbitraries) {
  if (!requestBody) return fc.constant(undefined);
  const bodies = Object.entries(requestBody.content).map(([mediaType, { schema }]) => {
    const valid = values.valueOf(schema);
    const wanted = fc.oneof(
      { weight: 5, arbitrary: valid },
      { weight: 4, arbitrary: spoiled(valid) },
      { weight: 1, arbitrary: anything },
    );
    const written = wanted.map((value) =>
      mediaType === form ? toForm(value) : (JSON.stringify(value) ?? ''),
    );
    const type = rarely(
      fc.constantFrom('text/plain', '', 'application/json; charset=x'),
      mediaType,
    );
    const body = fc.oneof(
      { weight: 19, arbitrary: written },
      { weight: 1, arbitrary: fc.oneof(fc.constantFrom('', '{', '[]]'), fc.string()) },
    );
    return fc.record({ type, body });
  });
  return fc.oneof(...bodies);
}

/** As it should be, but for one in ten. */
function mostly(valid: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 9, arbitrary: valid },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()) },
    // PostgreSQL stores no U+0000.
    { weight: 1, arbitrary: fc.constant('a\0b') },
  );
}

function rarely<T>(other: fc.Arbitrary<T>, usual: T): fc.Arbitrary<T> {
  return fc.oneof({ weight: 14, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });
}

function toForm(value: unknown): string {
  const fields = typeof value === 'object' && value !== null ? value : { value };
  return new URLSearchParams(
    Object.entries(fields).map(([name, field]): [string, string] => [
      name.toWellFormed(),
      String(typeof field === 'object' ? JSON.stringify(field) : field).toWellFormed(),
    ]),
  ).toString();
}

// HTTP has no way to send other characters in a header.
function inHeaders(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      (value ?? '').replaceAll(/[^\x20-\x7e\x80-\xff]/g, '').trim(),
    ]),
  );
}
