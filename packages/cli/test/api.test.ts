import { expect, test } from 'vitest';
import { startSignedInShorty } from './signed-in-shorty.js';

const { server, shorty } = await startSignedInShorty();
const urls = Array.from({ length: 230 }, (_, index) => ({
  targetUrl: `https://example.com/${index}`,
  tags: [index % 2 === 0 ? 'even' : 'odd'],
}));
await server.client.urls.bulkCreate(urls);

async function api(...args: string[]) {
  return shorty.run(['api', ...args]);
}

test('calls any route with fields as query or as body', async () => {
  const created = await api(
    ...['POST', 'urls', '-f', 'targetUrl=https://example.com/?a=b', '-f', 'title=007'],
    ...['-f', 'redirectType:=301', '-f', 'tags:=["api","x"]'],
  );
  expect([created.code, created.stderr]).toEqual([0, '']);
  const { id } = JSON.parse(created.stdout);
  expect(await server.client.urls.get(id)).toMatchObject({
    targetUrl: 'https://example.com/?a=b',
    title: '007',
    redirectType: 301,
    tags: ['api', 'x'],
  });
  const listed = await api('get', '/api/v1/urls', '-f', 'tag=api', '-f', 'limit:=1');
  expect(JSON.parse(listed.stdout)).toMatchObject({ total: 1, items: [{ id }] });
  await shorty.write('patch.json', '{"title":null}');
  const patched = await api('PATCH', `urls/${id}`, '--input', 'patch.json');
  expect(JSON.parse(patched.stdout)).toMatchObject({ id, title: null });
  const piped = await shorty.run(['api', 'PATCH', `urls/${id}`, '--input', '-'], {
    input: '{"title":"piped"}',
  });
  expect(JSON.parse(piped.stdout).title).toBe('piped');
  expect((await api('DELETE', `urls/${id}`)).code).toBe(0);
  expect((await server.client.urls.get(id)).isActive).toBe(false);
});

test('--jq filters the data, and prints strings as text', async () => {
  const run = async (expression: string) =>
    (await api('GET', 'urls', '-f', 'limit=2', '-f', 'tag=even', '--jq', expression)).stdout;
  expect(await run('.total == 115')).toBe('true\n');
  expect(await run('.items[] | .targetUrl')).toBe(
    'https://example.com/228\nhttps://example.com/226\n',
  );
  expect(await run('[.items[].isActive] | all')).toBe('true\n');
  expect(await run('{n: (.items | length)}')).toBe('{"n":2}\n');
  await shorty.exits(2, '--jq', 'api GET urls --jq .items[');
  await shorty.exits(1, 'boom', ['api', 'GET', 'urls', '--jq', 'error("boom")']);
});
