import { nearestName } from './generated/nearest-name.js';
import { fromBase64, tagOf } from './raw-bytes.js';

/** Options for checking a delivery. */
export interface VerifyOptions {
  /**
   * The webhook's signing secret, or up to 16 secrets, of which one must match. The key is its UTF-8
   * text, whatever it looks like. For `webhook-signature` alone, `whsec_` and base64, as Standard
   * Webhooks writes a secret, stands for the decoded bytes.
   */
  readonly secret: string | readonly string[];
  /** The largest difference between the timestamp and now, in seconds. Default 300. */
  readonly tolerance?: number | undefined;
  /** The time to check against, for tests. Default: the clock. */
  readonly now?: Date | undefined;
}

/** Options for functions that read the body themselves. */
export interface VerifyRequestOptions extends VerifyOptions {
  /** The largest body in bytes. Default 1,048,576. */
  readonly maxBodyBytes?: number | undefined;
}

/** The names of the options. An adapter that does not read the body has no `maxBodyBytes`. */
export const verifyOptions = ['secret', 'tolerance', 'now'];
export const verifyRequestOptions = [...verifyOptions, 'maxBodyBytes'];

/** Checked options, with their defaults. */
export interface Settings {
  readonly secrets: readonly string[];
  readonly tolerance: number;
  /** Undefined: the clock. */
  readonly now: Date | undefined;
  readonly maxBodyBytes: number;
}

/** Each secret costs a hash of the body. */
const maxSecrets = 16;

/**
 * Checks the options of a call, whose names are given, and adds the defaults. Throws a `TypeError` for
 * an invalid option: an attacker can sign with an empty secret.
 */
export function settingsOf(options: VerifyRequestOptions, names: readonly string[]): Settings {
  refuseUnknown(options, names);
  const { secret, tolerance = 300, now, maxBodyBytes = 1_048_576 } = options;
  const secrets = [secret].flat();
  const isText = (each: unknown) => typeof each === 'string' && each.length > 0;
  if (secrets.length < 1 || secrets.length > maxSecrets || !secrets.every(isText)) {
    throw new TypeError(`secret must be 1 to ${maxSecrets} non-empty strings`);
  }
  const isDuration = typeof tolerance === 'number' && tolerance >= 0;
  requireOption(isDuration, 'tolerance', tolerance, 'a number of seconds, at least 0');
  // `instanceof` fails for a Date from another realm, such as a test runner's.
  const isTime = now === undefined || (tagOf(now) === '[object Date]' && now.getTime() >= 0);
  requireOption(isTime, 'now', now, 'a valid Date');
  const isSize = Number.isSafeInteger(maxBodyBytes) && maxBodyBytes > 0;
  requireOption(isSize, 'maxBodyBytes', maxBodyBytes, 'a whole number of bytes, at least 1');
  return { secrets, tolerance, now, maxBodyBytes };
}

/**
 * Throws a `TypeError` for an option that nobody reads, which is usually misspelt: an ignored
 * `tolerance` would accept old deliveries.
 */
export function refuseUnknown(options: object, names: readonly string[]): void {
  if (Object(options) !== options) {
    throw new TypeError('options must be an object, such as { secret }');
  }
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const near = nearestName(unknown, names);
  const hint = near === undefined ? `use ${names.join(', ')}` : `did you mean ${near}?`;
  throw new TypeError(`${unknown} is not an option: ${hint}`);
}

/** Throws a `TypeError` that names an invalid option, its value and the rule. */
export function requireOption(isValid: boolean, name: string, value: unknown, rule: string): void {
  const shown = typeof value === 'string' ? `"${value}"` : value;
  if (!isValid) throw new TypeError(`${name} ${shown}: must be ${rule}`);
}

/** A key of HMAC: text stands for its UTF-8 bytes. */
export type Key = string | Uint8Array;

/** Returns the key of `webhook-signature`: the decoded bytes of `whsec_` and base64, or the text. */
export function standardKeyOf(secret: string): Key {
  const isEncoded = /^whsec_[\da-zA-Z+/]+={0,2}$/.test(secret) && secret.length % 4 === 2;
  return isEncoded ? fromBase64(secret.slice(6)) : secret;
}
