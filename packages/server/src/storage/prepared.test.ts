import { expect, it } from 'vitest';
import { openStorage } from './open-storage.js';
import { prepare } from './prepared.js';

it('passes each value where its name stands, however often and in whichever order', async () => {
  const database = openStorage({ databaseUrl: ':memory:', durability: 'process' });
  await database.migrate();
  const rule = { id: 'example.com', reason: 'spam', created_at: 5 };
  await database.writeDirectly((db) => db.insertInto('blocked_hosts').values(rule).execute());
  const find = prepare((wanted: { max: number; host: string; at: number }) =>
    database.read
      .selectFrom('blocked_hosts')
      .select('reason')
      .where('created_at', '>=', wanted.at)
      .where('id', '=', wanted.host)
      .where('created_at', '<=', wanted.at)
      .limit(wanted.max),
  );
  const rowsOf = async (host: string, at: number, max: number) =>
    (await database.read.executeQuery(find({ host, at, max }))).rows;
  expect(await rowsOf('example.com', 5, 1)).toEqual([{ reason: 'spam' }]);
  expect(await rowsOf('example.com', 5, 0)).toEqual([]);
  expect(await rowsOf('example.org', 5, 1)).toEqual([]);
  expect(await rowsOf('example.com', 6, 1)).toEqual([]);
  await database.close();
});
