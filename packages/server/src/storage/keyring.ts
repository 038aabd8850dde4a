import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** The row of a value: its table and its key. */
export type Place = readonly string[];

export class UnreadableSecretError extends Error {
  override readonly name = 'UnreadableSecretError';
}

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const keyIdBytes = 6;
// No JSON starts with it.
const encrypted = /^enc:([0-9a-f]{12}):([\w-]+)$/;

/**
 * Encrypts secrets for storage. A stored value names its key, and its row is authenticated, so that a
 * value which is copied to another row cannot be decrypted.
 */
export class Keyring {
  #secretKeys: readonly string[] = [];
  readonly #keys = new Map<string, Uint8Array>();
  #pseudonymKey: Uint8Array = new Uint8Array();

  constructor(secretKeys: readonly string[] = []) {
    this.use(secretKeys);
  }

  /** Sets the secret keys, of which `secrets rotate` encrypts under the first. */
  use(secretKeys: readonly string[]): void {
    this.#secretKeys = [...new Set(secretKeys)];
    this.#keys.clear();
    for (const secretKey of this.#secretKeys) {
      this.#keys.set(keyIdOf(secretKey), derive(secretKey, 'shorty stored secrets', keyBytes));
    }
    this.#pseudonymKey = derive(this.#secretKeys[0] ?? '', 'shorty pseudonyms', keyBytes);
  }

  get secretKeys(): readonly string[] {
    return this.#secretKeys;
  }

  get firstId(): string | undefined {
    return this.#keys.keys().next().value;
  }

  has(keyId: string): boolean {
    return this.#keys.has(keyId);
  }

  /** Throws an UnreadableSecretError if the key is not set. */
  encrypt(text: string, place: Place, keyId: string): string {
    const nonce = randomBytes(nonceBytes);
    const encrypting = createCipheriv(cipher, this.#keyOf(keyId), nonce).setAAD(bytesOf(place));
    const bytes = [nonce, encrypting.update(text, 'utf8'), encrypting.final()];
    return `enc:${keyId}:${Buffer.concat([...bytes, encrypting.getAuthTag()]).toString('base64url')}`;
  }

  /** Throws an UnreadableSecretError. */
  decrypt(stored: string, place: Place): string {
    const [, keyId, value = ''] = encrypted.exec(stored) ?? [];
    try {
      if (keyId === undefined) throw new UnreadableSecretError('it is not encrypted');
      const key = this.#keyOf(keyId);
      const bytes = Buffer.from(value, 'base64url');
      const decrypting = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      })
        .setAAD(bytesOf(place))
        .setAuthTag(bytes.subarray(-tagBytes));
      const parts = [decrypting.update(bytes.subarray(nonceBytes, -tagBytes)), decrypting.final()];
      return Buffer.concat(parts).toString('utf8');
    } catch (cause) {
      const reason =
        cause instanceof UnreadableSecretError
          ? cause.message
          : 'it is damaged, or from another row';
      const [table, ...key] = place;
      const message = `a secret of ${table} ${key.join(' ')} cannot be decrypted: ${reason}`;
      throw new UnreadableSecretError(message, { cause });
    }
  }

  canDecrypt(stored: string, place: Place): boolean {
    try {
      this.decrypt(stored, place);
      return true;
    } catch (error) {
      if (error instanceof UnreadableSecretError) return false;
      throw error;
    }
  }

  /** Returns a keyed hash of a text, such as an address. The same text and first key give the same hash. */
  pseudonymOf(text: string): string {
    return createHmac('sha256', this.#pseudonymKey).update(text).digest('base64url');
  }

  #keyOf(keyId: string): Uint8Array {
    const key = this.#keys.get(keyId);
    if (key === undefined) {
      const remedy = 'SHORTY_SECRET_KEY or SHORTY_SECRET_KEY_PREVIOUS must have it';
      throw new UnreadableSecretError(`its key is ${keyId}, which is not set: ${remedy}`);
    }
    return key;
  }
}

/** Returns the id of the key that encrypted a value; undefined if the value is not encrypted. */
export function keyIdIn(stored: string): string | undefined {
  return encrypted.exec(stored)?.[1];
}

/** Returns the id of a secret key, which does not reveal the key. */
export function keyIdOf(secretKey: string): string {
  return Buffer.from(derive(secretKey, 'shorty key id', keyIdBytes)).toString('hex');
}

function derive(secretKey: string, purpose: string, bytes: number): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secretKey, '', purpose, bytes));
}

function bytesOf(place: Place): Uint8Array {
  return Buffer.from(JSON.stringify(place));
}
