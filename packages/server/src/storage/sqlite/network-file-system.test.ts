import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findNetworkFileSystem, networkFileSystemOf } from './sqlite-file.js';

describe('networkFileSystemOf', () => {
  it.each([
    [0x6969, 'NFS'],
    [0xff534d42, 'CIFS'],
    // Node returns the types of some systems as negative numbers.
    [0xff534d42 | 0, 'CIFS'],
    [0xef53, undefined],
  ])('%i is %s', (type, name) => {
    expect(networkFileSystemOf(type)).toBe(name);
  });
});

it('the folder of temporary files is local', () => {
  expect(findNetworkFileSystem(join(tmpdir(), 'shorty.db'))).toBeUndefined();
});
