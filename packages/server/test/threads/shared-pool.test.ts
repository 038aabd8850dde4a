import { stat } from 'node:fs/promises';
import { pino } from 'pino';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import type * as PasswordsModule from '../../src/auth/passwords.js';

beforeAll(build, 120_000);

/** A worker needs the build. */
async function openBuiltPasswords() {
  const file = new URL('../../dist/auth/passwords.js', import.meta.url).href;
  const { openPasswords } = (await import(/* @vite-ignore */ file)) as typeof PasswordsModule;
  const passwords = openPasswords({ isThreaded: true, logger: pino({ level: 'silent' }) });
  onTestFinished(() => passwords.stop());
  return passwords;
}

it('password hashing does not occupy the libuv threads of files and DNS', async () => {
  const passwords = await openBuiltPasswords();
  const [hash = ''] = await passwords.hashAll('a', ['one']);
  expect(await passwords.verify('a', hash, 'one')).toBe(true);
  let done = 0;
  const count = 24;
  const hashes = Array.from({ length: count }, async (_, index) => {
    await passwords.hashAll('a', [`password ${index}`]);
    done += 1;
  });
  // More reads than libuv has threads.
  await Promise.all(Array.from({ length: 8 }, () => stat(import.meta.dirname)));
  expect(done).toBeLessThan(count / 2);
  await Promise.all(hashes);
});
