import pg from 'pg';
import { pino } from 'pino';
import { afterAll, expect, it } from 'vitest';
import { poll } from '../poll.js';
import { startTwoNodes } from './two-nodes.js';

const before = 'https://example.com/before';
const after = 'https://example.com/after';

const lines: string[] = [];

/** Changes links without recording the change for other nodes. */
const logger = pino({ level: 'error' }, { write: (line: string) => lines.push(line) });
const pair = await startTwoNodes({ logger });
const [first, second] = pair.nodes;
const unnoticed = new pg.Client({ connectionString: first.databaseUrl });
const locker = new pg.Client({ connectionString: first.databaseUrl });
await Promise.all([unnoticed.connect(), locker.connect()]);
await unnoticed.query('set session_replication_role = replica');
afterAll(async () => {
  await Promise.all([unnoticed.end(), locker.end()]);
  await pair.stop();
});

async function newLink() {
  const data = await first.createLink({ targetUrl: before });
  const locate = async () =>
    (await second.visit(`/${data.shortCode}`)).headers.get('location') ?? undefined;
  expect(await locate()).toBe(before);
  const changeUnnoticed = () =>
    unnoticed.query('update urls set target_url = $1 where id = $2', [after, data.id]);
  return { id: data.id, locate, changeUnnoticed };
}

/** Resolves when the second node has polled. */
async function nextPoll() {
  const { id, locate } = await newLink();
  await first.call('updateUrl', { params: { id }, body: { targetUrl: after } });
  await poll('the change on the other node', locate, (location) => location === after);
}

it('a poll that fails evicts no link', async () => {
  const { locate, changeUnnoticed } = await newLink();
  await nextPoll();
  expect(await locate()).toBe(before);
  await unnoticed.query('alter table cache_changes rename to hidden_changes');
  await poll(
    'failed polls of both nodes',
    () => lines.filter((line) => line.includes('cannot read changes of other nodes')),
    ({ length }) => length >= 2,
  );
  await unnoticed.query('alter table hidden_changes rename to cache_changes');
  await changeUnnoticed();
  await nextPoll();
  expect(await locate()).toBe(before);
});

it('without a poll for 5 seconds, a cached link is read again, and served if it cannot be read', async () => {
  const { locate, changeUnnoticed } = await newLink();
  await nextPoll();
  expect(await locate()).toBe(before);
  await locker.query('begin');
  await locker.query('lock table cache_changes in access exclusive mode');
  await changeUnnoticed();
  const startedAt = performance.now();
  await poll('the new target', locate, (location) => location === after, { timeoutMs: 15_000 });
  const seconds = (performance.now() - startedAt) / 1_000;
  expect(seconds).toBeGreaterThan(4);
  expect(seconds).toBeLessThan(8);
  await locker.query('lock table urls in access exclusive mode');
  for (let visit = 0; visit < 5; visit += 1) expect(await locate()).toBe(after);
  await locker.query('rollback');
  await nextPoll();
});
