import type { Schema } from '../storage/database.js';
import { type Keyring, UnreadableSecretError } from '../storage/keyring.js';
import { placeOf } from '../storage/stored-secrets.js';

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

type SecretColumn = 'secret' | 'previous_secret' | 'oldest_secret';

// In the order of the replaced secrets.
const previousColumns = ['previous_secret', 'oldest_secret'] as const;

/** Encrypts a secret for a column of a webhook. */
export function encryptSecret(
  keyring: Keyring,
  column: SecretColumn,
  webhookId: string,
  secret: string,
): string {
  return keyring.encrypt(secret, placeOf('webhooks', column, [webhookId]));
}

/** Returns the columns that store replaced secrets, encrypted, newest first. */
export function toEncryptedColumns(
  keyring: Keyring,
  webhookId: string,
  secrets: readonly PreviousSecret[],
): PreviousSecretColumns {
  const encrypted = secrets.map(({ secret, expiresAt }, at) => ({
    secret: encryptSecret(keyring, previousColumns[at] ?? 'oldest_secret', webhookId, secret),
    expiresAt,
  }));
  return toColumns(encrypted);
}

export interface StoredSecrets {
  readonly secret: string;
  /** As `previousSecretsOf` returns them. */
  readonly previousSecrets: readonly PreviousSecret[];
}

/** Decrypts the secrets of a webhook. Throws an UnreadableSecretError. */
export function decryptSecrets(
  keyring: Keyring,
  webhookId: string,
  { secret, previousSecrets }: StoredSecrets,
): StoredSecrets {
  const decrypt = (column: SecretColumn, stored: string) =>
    keyring.decrypt(stored, placeOf('webhooks', column, [webhookId]));
  return {
    secret: decrypt('secret', secret),
    previousSecrets: previousSecrets.map((previous, at) => ({
      ...previous,
      secret: decrypt(previousColumns[at] ?? 'oldest_secret', previous.secret),
    })),
  };
}

/**
 * Returns the secrets of a webhook that can be decrypted, newest first. The current one has no end.
 * Damaged ones sign nothing, so a rotation drops them.
 */
export function readableSecrets(
  keyring: Keyring,
  webhookId: string,
  { secret, previousSecrets }: StoredSecrets,
): PreviousSecret[] {
  const all = [{ secret, expiresAt: Number.POSITIVE_INFINITY }, ...previousSecrets];
  return all.flatMap((each, at) => {
    const column = at === 0 ? 'secret' : (previousColumns[at - 1] ?? 'oldest_secret');
    try {
      const place = placeOf('webhooks', column, [webhookId]);
      return [{ ...each, secret: keyring.decrypt(each.secret, place) }];
    } catch (error) {
      if (error instanceof UnreadableSecretError) return [];
      throw error;
    }
  });
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
