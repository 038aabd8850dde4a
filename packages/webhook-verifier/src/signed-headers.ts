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
  /** Each 64 hexadecimal digits, in either case. */
  readonly signatures: readonly string[];
}

const TIMESTAMP = 'X-Service-Timestamp';
const SIGNATURE = 'X-Service-Signature';

/** Every value of a header. */
export function headerValues(headers: WebhookHeaders, name: string): readonly unknown[] {
  const wanted = name.toLowerCase();
  const values: unknown[] = [];
  const keep = (key: string, value: unknown) => {
    if (key.length !== wanted.length || key.toLowerCase() !== wanted) return;
    for (const each of Array.isArray(value) ? value : [value]) if (each != null) values.push(each);
  };
  if (Symbol.iterator in headers) for (const [key, value] of headers) keep(key, value);
  else if (typeof headers.get === 'function') keep(name, headers.get(name));
  else for (const key in headers) keep(key, (headers as Record<string, unknown>)[key]);
  return values;
}

/** A header's lines as one, which is what they are in a list header: RFC 9110 §5.3. */
function present(headers: WebhookHeaders, name: string): string {
  // As Node has them, each once: to look through all headers takes a twentieth of the whole check.
  const own = (headers as Record<string, unknown>)[name.toLowerCase()];
  if (typeof own === 'string') return own;
  const values = headerValues(headers, name);
  if (values.length === 0) throw new WebhookVerificationError('missing_header', `No ${name}`);
  return values.join();
}

function hexOf(value: string): string {
  const signature = value.trim();
  // RFC 4648 §8 gives hex no case. Lenient decoders stop at the first bad digit, so check them all.
  if (!/^sha256=[\da-fA-F]{64}$/.test(signature)) {
    throw new WebhookVerificationError('malformed_header', `${SIGNATURE} is not sha256=<hex>`);
  }
  return signature.slice(7);
}

/** Reads both signed headers and checks the time; whether the signature fits is not known yet. */
export function readClaim(headers: WebhookHeaders, options: VerifyOptions): Claim {
  const { tolerance = 300, now } = options;
  const seconds = Math.floor((now?.getTime() ?? Date.now()) / 1000);
  if (!(tolerance >= 0 && seconds >= 0)) {
    throw new TypeError('tolerance must be seconds, now a Date');
  }

  // Two timestamps come out as one that is no number.
  const timestamp = present(headers, TIMESTAMP);
  const signature = present(headers, SIGNATURE);
  const signatures = signature.split(',').map(hexOf);
  if (!/^\d+$/.test(timestamp)) {
    throw new WebhookVerificationError('malformed_header', `${TIMESTAMP} is not Unix seconds`);
  }
  const distance = Math.abs(seconds - Number(timestamp));
  if (distance > tolerance) {
    throw new WebhookVerificationError(
      'timestamp_out_of_tolerance',
      `${TIMESTAMP} is ${distance} s from now`,
    );
  }
  return { timestamp, signatures };
}

export function signatureMismatch(): WebhookVerificationError {
  return new WebhookVerificationError('signature_mismatch', 'Another secret, or another body');
}
