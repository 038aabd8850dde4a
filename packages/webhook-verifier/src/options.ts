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

/** The default of `maxBodyBytes`. */
export const MAX_BODY_BYTES = 1_048_576;

/** Each secret costs a hash of the body. */
const maxSecrets = 16;

/**
 * Throws a TypeError for an option that nobody reads, which is usually misspelt: an ignored `tolerance`
 * would accept old deliveries.
 */
export function refuseUnknown(options: object, known: readonly string[]): void {
  if (Object(options) !== options) {
    throw new TypeError('options must be an object, such as { secret }');
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const near = nearestName(unknown, known);
  const hint = near === undefined ? `use ${known.join(', ')}` : `did you mean ${near}?`;
  throw new TypeError(`${unknown} is not an option: ${hint}`);
}

/** Throws a `TypeError` for an invalid or unknown option of an adapter. */
export function checkOptions(options: VerifyOptions): void {
  refuseUnknown(options, verifyOptionNames);
  keysOf(options, 'service');
}

/** The options of functions that verify, with the delivery that some of them are passed, too. */
export const verifyOptionNames = ['secret', 'tolerance', 'now', 'maxBodyBytes', 'body', 'headers'];

/** A key of HMAC: text stands for its UTF-8 bytes. */
export type Key = string | Uint8Array;

/** The header of a signature: `X-Service-Signature`, or `webhook-signature` of Standard Webhooks. */
export type Scheme = 'service' | 'standard';

/**
 * Checks the options and returns the keys of the secrets for a scheme.
 *
 * Throws a `TypeError` for an invalid option. An attacker can sign with an empty secret.
 */
export function keysOf(
  { secret, tolerance = 0, now = new Date() }: VerifyOptions,
  scheme: Scheme,
): readonly Key[] {
  if (!(tolerance >= 0)) throw new TypeError(`tolerance ${tolerance}: must be at least 0`);
  // `instanceof` fails for a Date from another realm, such as a test runner's.
  if (tagOf(now) !== '[object Date]') throw new TypeError(`now ${now}: must be a Date`);
  const secrets = [secret ?? []].flat();
  const isText = (each: unknown) => typeof each === 'string' && each.length > 0;
  if (secrets.length < 1 || secrets.length > maxSecrets || !secrets.every(isText)) {
    throw new TypeError(`secret must be 1 to ${maxSecrets} non-empty strings`);
  }
  return scheme === 'standard' ? secrets.map(standardKeyOf) : secrets;
}

/** `whsec_` and base64, as Standard Webhooks writes a secret, stands for the decoded bytes. */
function standardKeyOf(secret: string): Key {
  const isEncoded = /^whsec_[\da-zA-Z+/]+={0,2}$/.test(secret) && secret.length % 4 === 2;
  return isEncoded ? fromBase64(secret.slice(6)) : secret;
}
