import { type Algorithm, hash, verify } from '@node-rs/argon2';

// OWASP's first choice for Argon2id. Hashing runs on libuv's threads, never on the event loop.
const settings = {
  algorithm: 2 as Algorithm.Argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
};

export function hashPassword(password: string): Promise<string> {
  return hash(password, settings);
}

export function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  return verify(passwordHash, password);
}
