import { ApiError } from '../contract/api-error.js';
import type { Keyring } from '../storage/keyring.js';
import type { Encrypt } from '../storage/secrets.js';

/** The secrets of a webhook. One column has them as encrypted JSON. */
export interface WebhookSecrets {
  readonly current: string;
  /** The secret that the current one has replaced. It also signs until `expiresAt`. */
  readonly previous?: { readonly secret: string; readonly expiresAt: number } | undefined;
}

/** How long a secret still signs after it was replaced, unless the request says otherwise. */
export const defaultRotationMs = 24 * 60 * 60 * 1000;

/** Returns what the secrets and headers of a webhook are bound to. */
export function placeOfWebhook(id: string) {
  return ['webhooks', id];
}

export function encryptSecrets(encrypt: Encrypt, webhookId: string, secrets: WebhookSecrets) {
  return encrypt(JSON.stringify(secrets), placeOfWebhook(webhookId));
}

export function decryptSecrets(
  keyring: Keyring,
  webhookId: string,
  stored: string,
): WebhookSecrets {
  return JSON.parse(keyring.decrypt(stored, placeOfWebhook(webhookId)));
}

/** Returns the secrets of a webhook, or undefined if they are damaged, or lost with their key. */
export function readSecrets(
  keyring: Keyring,
  webhookId: string,
  stored: string,
): WebhookSecrets | undefined {
  if (!keyring.canDecrypt(stored, placeOfWebhook(webhookId))) return undefined;
  return decryptSecrets(keyring, webhookId, stored);
}

/** Returns the secrets that sign at a time, newest first. */
export function signingSecrets({ current, previous }: WebhookSecrets, now: number): string[] {
  return previous && now < previous.expiresAt ? [current, previous.secret] : [current];
}

/**
 * Replaces the current secret, which signs for `expireOldAfterMs` more. Throws SECRET_CONFLICT if the one
 * before would still sign, too.
 */
export function rotate(
  { current, previous }: WebhookSecrets,
  secret: string,
  now: number,
  expireOldAfterMs: number,
): WebhookSecrets {
  if (expireOldAfterMs === 0) return { current: secret };
  if (previous && now < previous.expiresAt) {
    const end = new Date(previous.expiresAt).toISOString();
    throw new ApiError(
      'SECRET_CONFLICT',
      `The webhook has 2 live secrets, the maximum. One of them ends at ${end}. Rotate after that, or end all old secrets now: expireOldAfterSeconds 0, in the CLI --expire-old-after 0`,
    );
  }
  return { current: secret, previous: { secret: current, expiresAt: now + expireOldAfterMs } };
}

/**
 * Returns a secret in the form of Standard Webhooks: the base64 of the bytes that X-Service-Signature
 * is keyed with. Both kinds of signatures therefore have the same key.
 */
export function standardSecretOf(secret: string): string {
  return `whsec_${Buffer.from(secret).toString('base64')}`;
}
