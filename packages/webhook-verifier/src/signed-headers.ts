import { WebhookVerificationError } from './errors.js';
import type { VerifyOptions } from './options.js';

/**
 * The headers of a request: `Headers`, a `Map`, pairs, or a plain object with names in any case and a
 * value or an array for each.
 */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | Iterable<readonly [string, string | readonly string[]]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The timestamp and signatures of a request, which are not verified yet. */
export interface Claim {
  readonly timestamp: string;
  /** Each 64 hexadecimal digits in lower case. */
  readonly signatures: readonly string[];
}

// In lower case as in Node's headers, which makes a lookup by name possible. A search through all
// headers takes a tenth of the whole check.
const TIMESTAMP = 'x-service-timestamp';
const SIGNATURE = 'x-service-signature';
// By the new secret during a rotation of the secret.
const NEXT_SIGNATURE = `${SIGNATURE}-next`;

// Enough for 16 signatures with separators. Shorty sends one in each header.
const MAX_SIGNATURES_LENGTH = 1168;

// The digits of a signature, another scheme, or nothing.
const listElement = /^[ \t]*(?:sha256=([\da-fA-F]{64})[ \t]*|(?!sha256=)\w+=[^\r\n]*|)$/;

/**
 * Returns the value of a header. Several lines are joined by commas (RFC 9110 §5.3). The name must be
 * in lower case.
 */
export function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  const own = (headers as Record<string, unknown>)[name];
  if (typeof own === 'string') return own;
  const entries: Iterable<readonly [string, unknown]> =
    Symbol.iterator in headers
      ? headers
      : typeof headers.get === 'function'
        ? [[name, headers.get(name)]]
        : Object.entries(headers);
  const values = [...entries].flatMap(([key, value]) =>
    key.toLowerCase() === name ? (value ?? []) : [],
  );
  return values.length ? values.join() : undefined;
}

function present(headers: WebhookHeaders, name: string): string {
  const value = headerOf(headers, name);
  if (value === undefined)
    throw new WebhookVerificationError('missing_header', `${name} is missing`);
  return value;
}

/**
 * Returns the hexadecimal digits of each `sha256=` signature. Skips other schemes and empty elements.
 * Returns an empty list if an element is invalid or the header is too long.
 */
function hexesOf(header: string): readonly string[] {
  const hexes: string[] = [];
  // Avoids `split` for the usual single signature. It takes a tenth of the whole check.
  for (const element of header.includes(',') ? header.split(',') : [header]) {
    // Hex is case-insensitive (RFC 4648 §8). The digits are checked here, because Buffer's decoder
    // stops at the first invalid one.
    const match = listElement.exec(element);
    if (!match || header.length > MAX_SIGNATURES_LENGTH) return [];
    if (match[1]) hexes.push(match[1].toLowerCase());
  }
  return hexes;
}

/**
 * Reads the timestamp and the signatures, and checks the age. It runs first, because it does not hash.
 */
export function readClaim(headers: WebhookHeaders, options: VerifyOptions): Claim {
  const { tolerance = 300, now } = options;
  const seconds = Math.floor(Number(now ?? Date.now()) / 1000);
  if (!(tolerance >= 0 && seconds >= 0)) {
    throw new TypeError('tolerance must be seconds, now a Date');
  }

  // Two timestamp headers are joined by a comma, so they do not match the digits below.
  const timestamp = present(headers, TIMESTAMP);
  const signature = present(headers, SIGNATURE);
  const next = headerOf(headers, NEXT_SIGNATURE);
  const signatures = hexesOf(next ? `${signature},${next}` : signature);
  const problem = signatures[0]
    ? !/^\d{1,999}$/.test(timestamp) && `${TIMESTAMP} must be Unix seconds`
    : `${SIGNATURE} must be sha256=<hex>`;
  if (problem) throw new WebhookVerificationError('malformed_header', problem);
  const distance = Math.abs(seconds - Number(timestamp));
  if (distance > tolerance) {
    throw new WebhookVerificationError(
      'timestamp_out_of_tolerance',
      `${TIMESTAMP} is ${distance} s from now`,
    );
  }
  return { timestamp, signatures };
}
