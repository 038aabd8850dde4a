import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

// The prefixes let secret scanners find secrets that were committed by mistake.
const prefixes = {
  clientId: 'shorty_ci_',
  clientSecret: 'shorty_cs_',
  accessToken: 'shorty_at_',
  apiKey: 'shorty_ak_',
  webhookSecret: 'shorty_ws_',
  invitation: 'shorty_in_',
  session: 'shorty_ss_',
} as const;

const secretBytes = 32;

// The prefixes above, without that of the client id, which is not a secret, and that of a webhook's
// secret in the form of Standard Webhooks.
const ownSecret = /shorty_(?:cs|at|ak|ws|in|ss)_[\w-]+|whsec_[\w+/=]+/gi;
// Has no lookbehind, because a lookbehind is evaluated at every character of a long text.
const credentials = /(\b(?:Basic|Bearer)(?: |%20|\+)+)[\w~+/.=-]{8,}/gi;

/** Replaces Shorty's secrets and the credentials of `Authorization` headers with `mark`. */
export function hideSecrets(text: string, mark: string): string {
  return text.replace(ownSecret, mark).replace(credentials, (_, scheme) => scheme + mark);
}

/** Returns a new secret: a prefix that names its kind, and 256 random bits. */
export function newSecret(kind: keyof typeof prefixes): string {
  const bytes = randomBytes(kind === 'clientId' ? 12 : secretBytes);
  return prefixes[kind] + bytes.toString('base64url');
}

/** Returns the hash of a secret. A fast hash is enough, because a secret has 256 random bits. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

export function isApiKey(token: string): boolean {
  return token.startsWith(prefixes.apiKey);
}

/** Compares a secret with its hash in constant time. */
export function matchesHash(secret: string, hash: string): boolean {
  return timingSafeEqual(Buffer.from(hashSecret(secret)), Buffer.from(hash));
}
