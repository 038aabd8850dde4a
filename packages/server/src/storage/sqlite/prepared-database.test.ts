import SqliteHandle from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PreparedDatabase } from './prepared-database.js';

let database: PreparedDatabase;
beforeEach(() => {
  database = new PreparedDatabase(new SqliteHandle(':memory:'));
  database.prepare('create table t (id integer primary key, b text)').run([]);
  database.prepare("insert into t values (1, 'x'), (2, null)").run([]);
});
afterEach(() => database.close());

const all = (text: string) => database.prepare(text).all([]);

describe('PreparedDatabase', () => {
  it('returns rows as objects with the columns in order', () => {
    const rows = all('select b, id from t order by id');
    expect(rows).toEqual([
      { b: 'x', id: 1 },
      { b: null, id: 2 },
    ]);
    expect(Object.keys(rows[0] as object)).toEqual(['b', 'id']);
  });

  it('iterates over the same rows', () => {
    const statement = database.prepare('select * from t');
    expect([...statement.iterate([])]).toEqual(statement.all([]));
  });

  it('returns the rows of a write that has some', () => {
    expect(all("update t set b = 'y' where id = 2 returning id, b")).toEqual([{ id: 2, b: 'y' }]);
  });

  it('names the columns of a table that has changed', () => {
    const text = 'select * from t where id = 1';
    expect(all(text)).toEqual([{ id: 1, b: 'x' }]);
    database.prepare('alter table t rename column b to c').run([]);
    expect(all(text)).toEqual([{ id: 1, c: 'x' }]);
  });
});
