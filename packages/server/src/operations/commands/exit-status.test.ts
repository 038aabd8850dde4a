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
    ['a folder of journals that cannot be created', withCode('EROFS')],
    ['a file that is no database', withCode('SQLITE_NOTADB')],
    [
      'a role without rights',
      config(new StorageUnavailableError('', { cause: withCode('42501') })),
    ],
    ['a native module of another Node', withCode('ERR_DLOPEN_FAILED')],
  ])('is 78 for %s', (_, error) => {
    expect(exitStatusOfStart(error)).toBe(78);
  });

  it.each([
    ['a port that is in use', config(withCode('EADDRINUSE'))],
    ['a database that another server uses', config(withCode('SQLITE_BUSY'))],
    ['a full disk', config(withCode('ENOSPC'))],
    [
      'a PostgreSQL that is away',
      new StorageUnavailableError('', { cause: withCode('ECONNREFUSED') }),
    ],
    [
      'a PostgreSQL whose socket is missing',
      new StorageUnavailableError('', { cause: withCode('ENOENT') }),
    ],
    ['an unknown error', new Error('an error of the program')],
    ['a value that is no error', 'text'],
  ])('is 1 for %s', (_, error) => {
    expect(exitStatusOfStart(error)).toBe(1);
  });
});
