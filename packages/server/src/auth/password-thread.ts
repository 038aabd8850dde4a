import type { Algorithm } from '@node-rs/argon2';
import { defineThread } from '../threads/define-thread.js';

// OWASP's first recommendation for Argon2id.
const settings = {
  algorithm: 2 as Algorithm.Argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

// Loaded by the first call, because the main thread of a server does not need it.
const argon2 = () => import('@node-rs/argon2');

export const passwordMethods = {
  hash: async (password: string) => (await argon2()).hashSync(password, settings),
  /** Tries the password as typed, for hashes of another origin, then as new ones are stored. */
  verify: async (passwordHash: string, password: string) => {
    const { verifySync } = await argon2();
    const forms = new Set([password, password.normalize()]);
    return [...forms].some((form) => verifySync(passwordHash, form));
  },
};

/**
 * Hashes passwords with the synchronous functions. The asynchronous ones use libuv's thread pool and
 * would delay DNS, file and zlib work there.
 */
export const passwordThread = defineThread({
  name: 'passwords',
  file: import.meta.url,
  start: (_: undefined) => ({ methods: passwordMethods }),
});
