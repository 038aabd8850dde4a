import { createHash, timingSafeEqual } from 'node:crypto';
import type { RandomBytes } from '../ports.js';

// The prefixes let secret scanners find what was committed by mistake.
const prefixes = {
  clientId: 'shorty_ci_',
  clientSecret: 'shorty_cs_',
  accessToken: 'shorty_at_',
  webhookSecret: 'shorty_ws_',
} as const;

const secretBytes = 32;

// The prefixes above but for the client id, which is no secret.
const ownSecret = /shorty_(?:cs|at|ws)_[\w-]+/gi;
// Without a lookbehind, which would be tried again at every character of a long text.
const credentials = /(\b(?:Basic|Bearer)(?: |%20|\+)+)[\w~+/.=-]{8,}/gi;

/** Puts `mark` in place of our secrets, and of credentials as `Authorization` carries them. */
export function hideSecrets(text: string, mark: string): string {
  return text.replace(ownSecret, mark).replace(credentials, (_, scheme) => scheme + mark);
}

/** A new secret of its kind: 256 random bits behind a prefix that tells what it is. */
export function newSecret(kind: keyof typeof prefixes, randomBytes: RandomBytes): string {
  const bytes = randomBytes(kind === 'clientId' ? 12 : secretBytes);
  return prefixes[kind] + Buffer.from(bytes).toString('base64url');
}

/** What is stored of a secret. It has too much entropy to be guessed, so a fast hash serves. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Compares in a time that tells nothing about the stored hash. */
export function matchesHash(secret: string, hash: string): boolean {
  return timingSafeEqual(Buffer.from(hashSecret(secret)), Buffer.from(hash));
}
