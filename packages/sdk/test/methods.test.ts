import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { api } from '../../server/src/api/api.js';
import { operations } from '../../server/test/contract/openapi-document.js';
import { type RequestInfo, Shorty } from '../src/index.js';
import { fixtures } from '../src/testing.js';

const file = new URL('../src/generated/resources.ts', import.meta.url);
const examples = readFileSync(file, 'utf8').matchAll(
  /```ts\n([\s\S]*?)```[\s\S]*?this\.api\.\w+\('([^']+)'/g,
);
const cases = Array.from(examples, ([, code = '', route = '']) => ({
  route,
  code: code.replace(/^ *\* ?/gm, '').replaceAll('console.log', 'log'),
}));

/** Runs an example. Returns the requests and what it printed. */
async function run(code: string, operationId: string) {
  const sent: RequestInfo[] = [];
  const bodies: unknown[] = [];
  const printed: unknown[] = [];
  const data = fixtures[operationId as keyof typeof fixtures];
  const shorty = new Shorty({
    baseUrl: 'https://sho.test',
    apiKey: 'key',
    hooks: { onRequest: (info) => void sent.push(info) },
    fetch: async (_url, init) => {
      bodies.push(JSON.parse(String(init?.body ?? '{}')));
      return data
        ? Response.json({ success: true, data })
        : new Response('png', { headers: { 'content-type': 'image/png' } });
    },
  });
  const log = (value: unknown) => printed.push(value);
  const AsyncFunction = run.constructor as new (
    ...parts: string[]
  ) => (...values: unknown[]) => Promise<void>;
  await new AsyncFunction('shorty', 'log', code)(shorty, log);
  return { sent, bodies, printed, data };
}

it.each(cases)('the example of $route calls it, and gets its data', async ({ route, code }) => {
  const operation = operations.find(
    ({ method, path }) => `${method.toUpperCase()} ${path}` === route,
  );
  const { sent, bodies, printed, data } = await run(code, operation?.operationId ?? '');
  const [method, path = ''] = route.split(' ');
  const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  expect(sent).toMatchObject([{ method, path: expect.stringMatching(pattern), attempt: 1 }]);
  const contract = api.find((each) => each.operationId === operation?.operationId);
  if (contract && 'body' in contract) {
    expect(contract.body.safeParse(bodies[0]).error).toBeUndefined();
  }
  const isList = code.startsWith('for await');
  const [result] = printed;
  if (isList) expect(printed).toEqual((data as { items: unknown[] }).items);
  else expect(result).toEqual(data ?? expect.objectContaining({ contentType: 'image/png' }));
});

it('there is a method for each operation of the API', () => {
  const routes = operations
    .filter(({ path }) => path.startsWith('/api/'))
    .filter(({ operationId }) => !['createToken', 'readWebhookStream'].includes(operationId))
    .map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  expect(cases.map(({ route }) => route).sort()).toEqual(routes.sort());
});
