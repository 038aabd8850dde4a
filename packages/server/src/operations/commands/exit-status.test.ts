import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../config-error.js';
import { StorageUnavailableError } from '../../storage/database.js';
import { exitStatusOfStart } from './exit-status.js';

const withCode = (code: string) => Object.assign(new Error('failed'), { code });
const config = (cause?: Error) => new ConfigError('PORT is 3000', { cause });

describe('the exit status of a failed start', () => {
  it.each([
    ['a setting', config()],
    ['a path that may not be used', config(withCode('EACCES'))],
    ['a file that is no database', withCode('SQLITE_NOTADB')],
    [
      'a role without rights',
      config(new StorageUnavailableError('', { cause: withCode('42501') })),
    ],
  ])('is 78 for %s', (_, error) => {
    expect(exitStatusOfStart(error)).toBe(78);
  });

  it.each([
    ['a port that is in use', config(withCode('EADDRINUSE'))],
    ['a database that another server uses', config(withCode('SQLITE_BUSY'))],
    [
      'a PostgreSQL that is away',
      new StorageUnavailableError('', { cause: withCode('ECONNREFUSED') }),
    ],
    ['an unknown error', new Error('an error of the program')],
  ])('is 1 for %s', (_, error) => {
    expect(exitStatusOfStart(error)).toBe(1);
  });
});
