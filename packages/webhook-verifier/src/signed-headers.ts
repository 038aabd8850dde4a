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

const TIMESTAMP = 'X-Service-Timestamp';
const SIGNATURE = 'X-Service-Signature';

// What 16 signatures have, with a comma and a space after each. Shorty sends at most two.
const MAX_HEADER_LENGTH = 1168;

function malformed(message: string): WebhookVerificationError {
  return new WebhookVerificationError('malformed_header', message);
}

/** Returns every value of a header. */
export function headerValues(headers: WebhookHeaders, name: string): readonly unknown[] {
  const entries: Iterable<readonly [string, unknown]> =
    Symbol.iterator in headers
      ? headers
      : typeof headers.get === 'function'
        ? [[name, headers.get(name)]]
        : Object.entries(headers);
  const wanted = name.toLowerCase();
  return [...entries]
    .flatMap(([key, value]) => (key.toLowerCase() === wanted ? value : []))
    .filter((value) => value != null);
}

/** Returns a header's lines as one, which is what they are in a list header: RFC 9110 §5.3. */
function present(headers: WebhookHeaders, name: string): string {
  // As Node has them, each once: to look through all headers takes a twentieth of the whole check.
  const own = (headers as Record<string, unknown>)[name.toLowerCase()];
  const values = typeof own === 'string' ? [own] : headerValues(headers, name);
  if (values.length === 0) throw new WebhookVerificationError('missing_header', `No ${name}`);
  const value = values.join();
  if (value.length > MAX_HEADER_LENGTH) {
    throw malformed(`${name} is above ${MAX_HEADER_LENGTH} characters`);
  }
  return value;
}

/** Returns the digits of every `sha256=` signature, and skips those of other schemes. */
function hexesOf(header: string): readonly string[] {
  const ours = header
    .split(',')
    .map((element) => element.trim())
    .filter((element) => !/^(?!sha256=)\w+=/.test(element));
  // RFC 4648 §8 gives hex no case. Lenient decoders stop at the first bad digit, so check them all.
  if (!ours[0] || !ours.every((element) => /^sha256=[\da-fA-F]{64}$/.test(element))) {
    throw malformed(`${SIGNATURE} is not sha256=<hex>`);
  }
  return ours.map((element) => element.slice(7).toLowerCase());
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
