import { type Keyring, UnreadableSecretError } from '../storage/keyring.js';
import type { Encrypt } from '../storage/secrets.js';

/** A secret that another one has replaced. It signs until `expiresAt`. */
export interface OldSecret {
  readonly secret: string;
  readonly expiresAt: number;
}

/** The secrets of a webhook. One column has them as encrypted JSON. */
export interface WebhookSecrets {
  readonly current: string;
  /** Newest first, also those that have ended. */
  readonly old: readonly OldSecret[];
}

/** How long a secret still signs after it was replaced, unless the request says otherwise. */
export const defaultRotationMs = 24 * 60 * 60 * 1000;
/** The maximum number of replaced secrets that still sign. */
export const maxOldSecrets = 1;

/** Returns what the secrets and headers of a webhook are bound to. */
export function placeOfWebhook(id: string) {
  return ['webhooks', id];
}

export function encryptSecrets(encrypt: Encrypt, webhookId: string, secrets: WebhookSecrets) {
  return encrypt(JSON.stringify(secrets), placeOfWebhook(webhookId));
}

/** Throws an UnreadableSecretError. */
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
  try {
    return decryptSecrets(keyring, webhookId, stored);
  } catch (error) {
    if (error instanceof UnreadableSecretError) return undefined;
    throw error;
  }
}

/** Returns the secrets that sign at a time, newest first. */
export function signingSecrets({ current, old }: WebhookSecrets, now: number): string[] {
  return [current, ...liveAt(old, now).map(({ secret }) => secret)];
}

/** Returns the replaced secrets that still sign at a time. */
export function liveAt(old: readonly OldSecret[], now: number): OldSecret[] {
  return old.filter(({ expiresAt }) => now < expiresAt);
}

/**
 * Returns the replaced secrets after a rotation. The current one signs for 24 hours more, or for
 * `expireOldAfterMs`, which also shortens the life of an older one. The result can have more than
 * `maxOldSecrets`, which is an error of the caller.
 */
export function rotate(
  { current, old }: WebhookSecrets,
  now: number,
  expireOldAfterMs: number | undefined,
): OldSecret[] {
  const end = now + (expireOldAfterMs ?? defaultRotationMs);
  const older = old.map(({ secret, expiresAt }) => ({
    secret,
    expiresAt: expireOldAfterMs === undefined ? expiresAt : Math.min(expiresAt, end),
  }));
  return liveAt([{ secret: current, expiresAt: end }, ...older], now);
}

/**
 * Returns a secret in the form of Standard Webhooks: the base64 of the bytes that X-Service-Signature
 * is keyed with. Both kinds of signatures therefore have the same key.
 */
export function standardSecretOf(secret: string): string {
  return `whsec_${Buffer.from(secret).toString('base64')}`;
}
