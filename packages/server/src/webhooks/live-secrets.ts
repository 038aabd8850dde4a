import type { Schema } from '../storage/database.js';
import type { Keyring } from '../storage/keyring.js';

/** A secret that another one has replaced. It signs until `expiresAt`. */
export interface PreviousSecret {
  readonly secret: string;
  readonly expiresAt: number;
}

/** How long a secret still signs after it was replaced, unless the request says otherwise. */
export const defaultRotationMs = 24 * 60 * 60 * 1000;
/** The maximum number of replaced secrets that still sign. Each costs a header value and two hashes. */
export const maxPreviousSecrets = 2;

/** The columns of a webhook's replaced secrets. */
export const previousSecretColumns = [
  'previous_secret',
  'previous_secret_expires_at',
  'oldest_secret',
  'oldest_secret_expires_at',
] as const satisfies readonly (keyof Schema['webhooks'])[];

export type PreviousSecretColumns = Pick<
  Schema['webhooks'],
  (typeof previousSecretColumns)[number]
>;

/** Returns the replaced secrets of a webhook as they are stored, newest first, also those that have ended. */
export function previousSecretsOf(row: PreviousSecretColumns): PreviousSecret[] {
  const pairs = [
    [row.previous_secret, row.previous_secret_expires_at],
    [row.oldest_secret, row.oldest_secret_expires_at],
  ] as const;
  return pairs.flatMap(([secret, expiresAt]) =>
    secret === null || expiresAt === null ? [] : [{ secret, expiresAt }],
  );
}

/** Returns the columns that store replaced secrets, newest first. */
export function toColumns([previous, oldest]: readonly PreviousSecret[]): PreviousSecretColumns {
  return {
    previous_secret: previous?.secret ?? null,
    previous_secret_expires_at: previous?.expiresAt ?? null,
    oldest_secret: oldest?.secret ?? null,
    oldest_secret_expires_at: oldest?.expiresAt ?? null,
  };
}

export interface StoredSecrets {
  readonly secret: string;
  /** As `previousSecretsOf` returns them. */
  readonly previousSecrets: readonly PreviousSecret[];
}

/** Returns what the secrets and headers of a webhook are bound to. */
export function placeOfWebhook(id: string) {
  return ['webhooks', id];
}

/** Decrypts the secrets of a webhook that sign at a time, newest first. Throws an UnreadableSecretError. */
export function decryptSecrets(
  keyring: Keyring,
  webhookId: string,
  { secret, previousSecrets }: StoredSecrets,
  now: number,
): string[] {
  const live = [secret, ...liveAt(previousSecrets, now).map((previous) => previous.secret)];
  return live.map((stored) => keyring.decrypt(stored, placeOfWebhook(webhookId)));
}

/**
 * Returns the secrets of a webhook that can be decrypted, as they are stored, newest first. The current
 * one has no end. Damaged ones sign nothing, so a rotation drops them.
 */
export function readableSecrets(
  keyring: Keyring,
  webhookId: string,
  { secret, previousSecrets }: StoredSecrets,
): PreviousSecret[] {
  const all = [{ secret, expiresAt: Number.POSITIVE_INFINITY }, ...previousSecrets];
  return all.filter((each) => keyring.canDecrypt(each.secret, placeOfWebhook(webhookId)));
}

/** Returns the secrets that still sign at a time. */
export function liveAt<Secret extends Pick<PreviousSecret, 'expiresAt'>>(
  secrets: readonly Secret[],
  now: number,
): Secret[] {
  return secrets.filter(({ expiresAt }) => now < expiresAt);
}

/**
 * Returns the replaced secrets after a rotation, newest first. Without `expireOldAfterMs`, the current
 * secret, which has no end yet, signs for 24 hours more, and older ones until their promised ends. With
 * it, none of them signs for longer. The result can have more than `maxPreviousSecrets`, which is an
 * error of the caller.
 */
export function rotate(
  secrets: readonly PreviousSecret[],
  now: number,
  expireOldAfterMs: number | undefined,
): PreviousSecret[] {
  const end = now + (expireOldAfterMs ?? defaultRotationMs);
  const replaced = secrets.map(({ secret, expiresAt }) => {
    const isPromised = Number.isFinite(expiresAt) && expireOldAfterMs === undefined;
    return { secret, expiresAt: isPromised ? expiresAt : Math.min(expiresAt, end) };
  });
  return liveAt(replaced, now);
}
