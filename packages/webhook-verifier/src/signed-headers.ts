import { refuse } from './errors.js';
import { type Key, keysOf, type VerifyOptions } from './options.js';

/**
 * The headers of a request: `Headers`, a `Map`, pairs, or a plain object with names in any case and a
 * value or an array for each.
 */
export type WebhookHeaders =
  | Iterable<readonly [string, string | readonly string[]]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** How a scheme writes the bytes of a signature. */
export type Encoding = 'hex' | 'base64';

/** The signatures of a request, which are not verified yet. A tuple, because names cost bytes. */
export type Claim = readonly [
  keys: readonly Key[],
  /** The signed text before the body. */
  prefix: string,
  encoding: Encoding,
  /** Each 64 hexadecimal digits in lower case, or 44 characters of base64. */
  signatures: readonly string[],
];

// Enough for 16 signatures with separators. Shorty sends at most three in a header.
const MAX_SIGNATURES_LENGTH = 1168;

// A signature in hex or base64, another scheme, or nothing.
const listElement =
  /^[ \t]*(?:(?:sha256=([\da-fA-F]{64})|v1,([\da-zA-Z+/]{43}=))[ \t]*|(?!sha256=|v1,)\w+[=,].*|)$/;

/**
 * Returns the value of a header. Several lines are joined by commas (RFC 9110 §5.3). The name must be
 * in lower case.
 */
export function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  // Names are in lower case as in Node's headers, which makes a lookup possible. A search through all
  // headers takes a tenth of the whole check.
  const own = (headers as Record<string, unknown>)[name];
  if (typeof own === 'string') return own;
  const entries: Iterable<readonly [string, unknown]> =
    Symbol.iterator in headers ? headers : Object.entries(headers);
  const values = [...entries].flatMap(([key, value]) =>
    key.toLowerCase() === name ? (value ?? []) : [],
  );
  return values[0] === undefined ? undefined : values.join();
}

/** Returns whether the headers of Standard Webhooks are verified: only without an `X-Service-Signature`. */
export function isStandard(headers: WebhookHeaders): boolean {
  return headerOf(headers, 'x-service-signature') === undefined;
}

/**
 * Reads the signatures and checks the age. It runs first, because it does not hash. Reads the
 * headers of Standard Webhooks if there is no `X-Service-Signature`.
 */
export function readClaim(headers: WebhookHeaders, options: VerifyOptions): Claim {
  const keys = keysOf(options);
  const { tolerance = 300, now = new Date() } = options;
  const present = (name: string) =>
    headerOf(headers, name) ?? refuse('missing_header', `${name} is missing`);
  const standard = isStandard(headers);
  const [timestampName, signatureName, separator, encoding] = standard
    ? (['webhook-timestamp', 'webhook-signature', ' ', 'base64'] as const)
    : (['x-service-timestamp', 'x-service-signature', ',', 'hex'] as const);
  let list = present(signatureName);
  const timestamp = present(timestampName);
  let prefix = `${timestamp}.`;
  if (standard) prefix = `${present('webhook-id')}.${prefix}`;
  else list += `,${headerOf(headers, 'x-service-signature-next') ?? ''}`;

  const signatures = list.split(separator).flatMap((element) => {
    const [, hex, base64] = listElement.exec(element) ?? ['', '', ''];
    // Hex is case-insensitive (RFC 4648 §8).
    return (standard ? base64 : hex?.toLowerCase()) ?? [];
  });
  const problem =
    list.length > MAX_SIGNATURES_LENGTH || !signatures[0] || signatures.includes('')
      ? `${signatureName} must be ${encoding}`
      : !/^\d+$/.test(timestamp) && `${timestampName} must be Unix seconds`;
  if (problem) refuse('malformed_header', problem);
  const distance = Math.abs(Math.floor(Number(now) / 1000) - Number(timestamp));
  // The negation refuses every time if the tolerance or now is invalid.
  if (!(distance <= tolerance)) {
    refuse('timestamp_out_of_tolerance', `${timestampName} is ${distance} s from now`);
  }
  return [keys, prefix, encoding, signatures];
}
