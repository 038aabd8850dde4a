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

const { clientId: _public, ...secretPrefixes } = prefixes;

/** Finds secrets of ours in any text, and credentials as `Authorization` carries them. */
export const findSecrets = new RegExp(
  `(?:${Object.values(secretPrefixes).join('|')})[\\w-]+|(?<=\\b(?:Basic|Bearer)(?: |%20|\\+)+)[\\w~+/.=-]{8,}`,
  'gi',
);

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
