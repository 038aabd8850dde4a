import { userInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { parsePostgresUrl } from './postgres-url.js';

describe('parsePostgresUrl', () => {
  it.each([
    [
      'postgres://shorty:secret@db.example:5433/links',
      { hosts: [{ host: 'db.example', port: 5433 }], database: 'links', sslMode: undefined },
    ],
    [
      'postgresql://shorty@db.example/links?sslmode=verify-full',
      {
        hosts: [{ host: 'db.example', port: 5432 }],
        password: undefined,
        sslMode: 'verify-full',
      },
    ],
    [
      'postgres://shorty:p%40ss%2Fw%2Crd@one.example,two.example:5433,[::1]:5434/links',
      {
        hosts: [
          { host: 'one.example', port: 5432 },
          { host: 'two.example', port: 5433 },
          { host: '::1', port: 5434 },
        ],
        user: 'shorty',
        password: 'p@ss/w,rd',
      },
    ],
    [
      'postgresql://shorty@/links?host=/run/postgresql&port=5433',
      { hosts: [{ host: '/run/postgresql', port: 5433 }], user: 'shorty', password: undefined },
    ],
    [
      'postgresql:///links?host=%2Fvar%2Frun%2Fpostgresql&sslmode=require',
      {
        hosts: [{ host: '/var/run/postgresql', port: 5432 }],
        user: userInfo().username,
        sslMode: undefined,
      },
    ],
    [
      'postgres://shorty@pooler.example:6432/links?pool_mode=transaction&sslmode=require',
      { sslMode: 'require', poolMode: 'transaction' },
    ],
  ])('parses %s', (text, address) => {
    expect(parsePostgresUrl(text)).toMatchObject(address);
  });

  it.each([
    ['postgres://db.example/links', /must be like postgres:\/\/user:password@host/],
    ['postgres://shorty:secret@db.example:port/links', /hosts must be like db\.example\.com:5432/],
    ['postgres://shorty:secret@db.example/links?sslmode=prefer', /sslmode must be one of disable/],
    [
      'postgres://shorty:secret@db.example/links?pool_mode=statement',
      /pool_mode must be one of session, transaction/,
    ],
    [
      'postgres://shorty:secret@db.example/links?options=-c',
      /parameter options; only host, port, sslmode and pool_mode/,
    ],
    ['postgres://shorty:p@ss@db.example/links', /second @: percent-encode .* as %40 for @/],
    ['postgres://shorty:p%ss@db.example/links', /its password has a %.*%25 for %/],
    ['postgres:///links', /must be like.*\?host=\/run\/postgresql for a unix socket/],
    ['postgres://shorty@/links?host=db.example', /host must be the absolute path of a folder/],
  ])('rejects %s and names the valid form', (text, message) => {
    expect(() => parsePostgresUrl(text)).toThrow(message);
  });
});
