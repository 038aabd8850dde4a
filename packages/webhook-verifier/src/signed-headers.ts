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

// Enough for 16 signatures with separators. Shorty sends at most two.
const MAX_HEADER_LENGTH = 1168;

function malformed(message: string): WebhookVerificationError {
  return new WebhookVerificationError('malformed_header', message);
}

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
  return values.length === 0 ? undefined : values.join();
}

function present(headers: WebhookHeaders, name: string): string {
  const value = headerOf(headers, name);
  if (value === undefined)
    throw new WebhookVerificationError('missing_header', `${name} is missing`);
  if (value.length > MAX_HEADER_LENGTH) {
    throw malformed(`${name} must be at most ${MAX_HEADER_LENGTH} characters`);
  }
  return value;
}

/**
 * Returns the hexadecimal digits of each `sha256=` signature, without other schemes. Returns an empty
 * list if an element is invalid.
 */
function hexesOf(header: string): readonly string[] {
  const hexes: string[] = [];
  // Avoids `split` for the usual single signature. It takes a tenth of the whole check.
  for (const element of header.includes(',') ? header.split(',') : [header]) {
    const signature = element.trim();
    // Hex is case-insensitive (RFC 4648 §8). The digits are checked here, because Buffer's decoder
    // stops at the first invalid one.
    if (/^sha256=[\da-fA-F]{64}$/.test(signature)) hexes.push(signature.slice(7).toLowerCase());
    else if (!/^(?!sha256=)\w+=/.test(signature)) return [];
  }
  return hexes;
}

/**
 * Reads the timestamp and the signatures, and checks the age. It runs first, because it does not hash.
 */
export function readClaim(headers: WebhookHeaders, options: VerifyOptions): Claim {
  const { tolerance = 300, now } = options;
  const seconds = Math.floor((now?.getTime() ?? Date.now()) / 1000);
  if (!(tolerance >= 0 && seconds >= 0)) {
    throw new TypeError('tolerance must be seconds, now a Date');
  }

  // Two timestamp headers are joined by a comma, so they do not match the digits below.
  const timestamp = present(headers, TIMESTAMP);
  const signatures = hexesOf(present(headers, SIGNATURE));
  if (!signatures[0]) throw malformed(`${SIGNATURE} must be sha256=<hex>`);
  if (!/^\d+$/.test(timestamp)) throw malformed(`${TIMESTAMP} must be Unix seconds`);
  const distance = Math.abs(seconds - Number(timestamp));
  if (distance > tolerance) {
    throw new WebhookVerificationError(
      'timestamp_out_of_tolerance',
      `${TIMESTAMP} is ${distance} s from now`,
    );
  }
  return { timestamp, signatures };
}
