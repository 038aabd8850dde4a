import { WebhookVerificationError } from './errors.js';
import type { VerifyOptions } from './options.js';

/**
 * Headers as any framework has them: `Headers`, a `Map`, pairs, or a plain object with names in any
 * case and one value or an array for each.
 */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | Iterable<readonly [string, string | readonly string[]]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** What the sender claims: when it signed, and with what result. */
export interface Claim {
  readonly timestamp: string;
  /** Each 64 hexadecimal digits in lower case. */
  readonly signatures: readonly string[];
}

// In lower case, as Node has them: to look through all headers takes a tenth of the whole check.
const TIMESTAMP = 'x-service-timestamp';
const SIGNATURE = 'x-service-signature';

// What 16 signatures have, with a comma and a space after each. Shorty sends at most two.
const MAX_HEADER_LENGTH = 1168;

function malformed(message: string): WebhookVerificationError {
  return new WebhookVerificationError('malformed_header', message);
}

/**
 * Returns the lines of a header as one, which is what they are in a list header: RFC 9110 §5.3. The
 * name is in lower case.
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
  if (value === undefined) throw new WebhookVerificationError('missing_header', `No ${name}`);
  if (value.length > MAX_HEADER_LENGTH) {
    throw malformed(`${name} is above ${MAX_HEADER_LENGTH} characters`);
  }
  return value;
}

/**
 * Returns the digits of every `sha256=` signature, and skips those of other schemes. Returns none
 * when an element is neither.
 */
function hexesOf(header: string): readonly string[] {
  const hexes: string[] = [];
  // Nearly always there is one, and `split` takes a tenth of the whole check.
  for (const element of header.includes(',') ? header.split(',') : [header]) {
    const signature = element.trim();
    // RFC 4648 §8 gives hex no case. Lenient decoders stop at the first bad digit: check them all.
    if (/^sha256=[\da-fA-F]{64}$/.test(signature)) hexes.push(signature.slice(7).toLowerCase());
    else if (!/^(?!sha256=)\w+=/.test(signature)) return [];
  }
  return hexes;
}

/**
 * Reads both signed headers and checks the time. It hashes nothing, so it comes before the body.
 */
export function readClaim(headers: WebhookHeaders, options: VerifyOptions): Claim {
  const { tolerance = 300, now } = options;
  const seconds = Math.floor((now?.getTime() ?? Date.now()) / 1000);
  if (!(tolerance >= 0 && seconds >= 0)) {
    throw new TypeError('tolerance must be seconds, now a Date');
  }

  // Two timestamps come out as one that is no number.
  const timestamp = present(headers, TIMESTAMP);
  const signatures = hexesOf(present(headers, SIGNATURE));
  if (!signatures[0]) throw malformed(`${SIGNATURE} is not sha256=<hex>`);
  if (!/^\d+$/.test(timestamp)) throw malformed(`${TIMESTAMP} is not Unix seconds`);
  const distance = Math.abs(seconds - Number(timestamp));
  if (distance > tolerance) {
    throw new WebhookVerificationError(
      'timestamp_out_of_tolerance',
      `${TIMESTAMP} is ${distance} s from now`,
    );
  }
  return { timestamp, signatures };
}
