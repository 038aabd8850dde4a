import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** The place of a value: table, column, and the key of the row. */
export type Place = readonly string[];

/** A stored secret cannot be decrypted. */
export class UnreadableSecretError extends Error {
  override readonly name = 'UnreadableSecretError';
}

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const keyIdBytes = 6;
// The start of an encrypted value. No secret and no JSON starts with it.
const prefix = 'enc:1:';
const encrypted = /^enc:1:([0-9a-f]{12}):([\w-]+)$/;
// Deliveries need the same few secrets again and again.
const maxDecrypted = 2_000;

/**
 * Encrypts secrets for storage. A stored value names its key, and its place is authenticated, so that a
 * value which is copied to another row or column cannot be decrypted.
 */
export class Keyring {
  #secretKeys: readonly string[] = [];
  readonly #keys = new Map<string, Uint8Array>();
  #pseudonymKey: Uint8Array = new Uint8Array();
  readonly #decrypted = new LRUCache<string, { readonly at: string; readonly text: string }>({
    max: maxDecrypted,
  });

  constructor(secretKeys: readonly string[] = []) {
    this.use(secretKeys);
  }

  /** Sets the secret keys. The first one encrypts, and all of them decrypt. */
  use(secretKeys: readonly string[]): void {
    this.#secretKeys = [...new Set(secretKeys)];
    this.#keys.clear();
    this.#decrypted.clear();
    for (const secretKey of this.#secretKeys) {
      this.#keys.set(keyIdOf(secretKey), derive(secretKey, 'shorty stored secrets', keyBytes));
    }
    const [first = ''] = this.#secretKeys;
    this.#pseudonymKey = derive(first, 'shorty pseudonyms', keyBytes);
  }

  get secretKeys(): readonly string[] {
    return this.#secretKeys;
  }

  /** The id of the key that encrypts; undefined without a key. */
  get currentId(): string | undefined {
    return this.#keys.keys().next().value;
  }

  has(keyId: string): boolean {
    return this.#keys.has(keyId);
  }

  /** Without a key, returns the text as it is. The server always has one and encrypts it later. */
  encrypt(text: string, place: Place): string {
    const id = this.currentId;
    const key = id === undefined ? undefined : this.#keys.get(id);
    if (key === undefined) return text;
    const nonce = randomBytes(nonceBytes);
    const encrypting = createCipheriv(cipher, key, nonce).setAAD(bytesOf(place));
    const bytes = [nonce, encrypting.update(text, 'utf8'), encrypting.final()];
    return `${prefix}${id}:${Buffer.concat([...bytes, encrypting.getAuthTag()]).toString('base64url')}`;
  }

  /** Returns a keyed hash of a text, such as an address. The same text and secret key give the same hash. */
  pseudonymOf(text: string): string {
    return createHmac('sha256', this.#pseudonymKey).update(text).digest('base64url');
  }

  /** Returns a text that is not encrypted as it is. Throws an UnreadableSecretError. */
  decrypt(stored: string, place: Place): string {
    if (!isEncrypted(stored)) return stored;
    const at = JSON.stringify(place);
    const known = this.#decrypted.get(stored);
    if (known?.at === at) return known.text;
    const [, id = '', value = ''] = encrypted.exec(stored) ?? [];
    const key = this.#keys.get(id);
    const name = `${place.slice(0, 2).join('.')} of ${place.slice(2).join(' ')}`;
    if (key === undefined) {
      throw new UnreadableSecretError(`${name} is encrypted under the key ${id}, which is not set`);
    }
    const bytes = Buffer.from(value, 'base64url');
    try {
      const decrypting = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      })
        .setAAD(bytesOf(place))
        .setAuthTag(bytes.subarray(-tagBytes));
      const parts = [decrypting.update(bytes.subarray(nonceBytes, -tagBytes)), decrypting.final()];
      const text = Buffer.concat(parts).toString('utf8');
      this.#decrypted.set(stored, { at, text });
      return text;
    } catch (cause) {
      throw new UnreadableSecretError(`${name} is damaged, or from another row`, { cause });
    }
  }
}

export function isEncrypted(stored: string): boolean {
  return stored.startsWith(prefix);
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
