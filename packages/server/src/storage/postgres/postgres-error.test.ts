import pg from 'pg';
import { expect, it } from 'vitest';
import { StorageUnavailableError, UniqueViolationError } from '../database.js';
import { mayRepeat, translatePostgresError } from './postgres-error.js';

const serverError = (code: string) => Object.assign(new pg.DatabaseError('', 0, 'error'), { code });

it.each([
  ['an error of the driver, whatever its text', new Error('Verbindung beendet')],
  ['a refused connection', Object.assign(new Error('no'), { code: 'ECONNREFUSED' })],
  ['a server that shuts down', serverError('57P01')],
  ['a lock that was not released in time', serverError('55P03')],
  ['a statement that exceeded its time limit', serverError('57014')],
])('%s makes storage unavailable', (_, error) => {
  expect(translatePostgresError(error)).toBeInstanceOf(StorageUnavailableError);
});

it('other errors are not temporary', () => {
  for (const error of [serverError('42601'), new TypeError('not a function')])
    expect(translatePostgresError(error)).toBe(error);
  expect(translatePostgresError(serverError('23505'))).toBeInstanceOf(UniqueViolationError);
});

it('transactions are repeated by the code of their error, also of one that makes storage unavailable', () => {
  const areRepeated = ['40001', '40P01', '55P03', '57P01'].map((code) =>
    mayRepeat(translatePostgresError(serverError(code))),
  );
  expect(areRepeated).toEqual([true, true, true, false]);
});
