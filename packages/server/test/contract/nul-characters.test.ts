import { afterAll, expect, it } from 'vitest';
import { startServer } from '../api/start-server.js';
import { operations } from './openapi-document.js';

const api = await startServer();
afterAll(() => api.stop());

const callerOf = (path: string) => (path.startsWith('/api/v1/admin/') ? api.operator : api);
/** Replaces the parameters of a path by a value. */
const pathWith = (path: string, value: string) => path.replaceAll(/\{\w+\}/g, value);
const idFor = (path: string) =>
  path.includes('/urls/') ? '1' : '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47';

// Images are looked up before their query is read.
const withApiQuery = operations.filter(({ path }) => !path.startsWith('/api/qr/'));
const inQueries = withApiQuery.flatMap(({ operationId, method, path, parameters = [] }) =>
  parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) => [operationId, name, method, path] as const),
);

it.each(inQueries)('%s refuses U+0000 in the query parameter %s', async (_, name, method, path) => {
  const { status, text } = await callerOf(path).send(
    method.toUpperCase(),
    `${pathWith(path, idFor(path))}?${name}=a%00b`,
  );
  expect(status, text).toBe(400);
  expect(text).toContain(name);
});

const inPaths = operations.filter(({ path }) => path.includes('{'));
it.each(inPaths.map(({ operationId, method, path }) => [operationId, method, path] as const))(
  '%s answers U+0000 in its path with 4xx',
  async (_, method, path) => {
    const { status, text } = await callerOf(path).send(
      method.toUpperCase(),
      pathWith(path, 'a%00b'),
    );
    expect(status, text).toBeGreaterThanOrEqual(400);
    expect(status, text).toBeLessThan(500);
  },
);
