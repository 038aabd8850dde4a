import { expect, it } from 'vitest';
import { ConfigError } from '../../config-error.js';
import { StorageUnavailableError } from '../../storage/database.js';
import { exitStatusOfStart } from './exit-status.js';

const withCode = (code: string) => Object.assign(new Error('failed'), { code });
const config = (cause?: Error) => new ConfigError('PORT is 3000', { cause });

const role = new StorageUnavailableError('', { cause: withCode('42501') });
const away = new StorageUnavailableError('', { cause: withCode('ECONNREFUSED') });

it.each([
  ['a setting', config(), 78],
  ['a path that may not be used', config(withCode('EACCES')), 78],
  ['a file that is no database', withCode('SQLITE_NOTADB'), 78],
  ['a role without rights', config(role), 78],
  ['a port that is in use', config(withCode('EADDRINUSE')), 1],
  ['a database that another server uses', config(withCode('SQLITE_BUSY')), 1],
  ['a PostgreSQL that is away', away, 1],
  ['an unknown error', new Error('an error of the program'), 1],
])('the exit status of a start that fails for %s is %i', (_, error, status) => {
  expect(exitStatusOfStart(error)).toBe(status);
});
