import SqliteHandle from 'better-sqlite3';
import { defineThread } from '../../dist/threads/define-thread.js';

class TooSmallError extends Error {
  name = 'TooSmallError';

  constructor(field, least) {
    super(`${field} is too small`, { cause: new RangeError('the cause') });
    this.field = field;
    this.least = least;
  }
}

/** A thread with a method for each behaviour under test. */
defineThread({
  name: 'fixture',
  file: import.meta.url,
  errorClasses: [TooSmallError],
  start(_, emit) {
    return {
      methods: {
        echo: (value) => value,
        refuse: (field, least) => {
          throw new TooSmallError(field, least);
        },
        query: (sql) => new SqliteHandle(':memory:').exec(sql),
        spin: () => {
          emit('spinning');
          for (;;);
        },
        fillHeap: (megabytes) => {
          emit('filling');
          const texts = [];
          while (texts.length < megabytes)
            texts.push(String(Math.random()).padEnd(1_000_000, 'x').split('.'));
          return texts.length;
        },
      },
      stop() {},
    };
  },
});
