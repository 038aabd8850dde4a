import { refuse } from './errors.js';
import { type Key, keysOf, type VerifyOptions } from './options.js';

/**
 * The headers of a request: `Headers`, a `Map`, pairs, an object with a method `get`, or a plain object
 * with names in any case and a value or an array for each.
 */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
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

// A signature in hex or base64, another scheme, or nothing.
const listElement =
  /^[ \t]*(?:sha256=([\da-fA-F]{64})[ \t]*|v1,([\da-zA-Z+/]{43}=)[ \t]*|(?!sha256=|v1,)\w+[=,].*|)$/;

/** The forms of `WebhookHeaders` in one. A sender may send a header of the name "get". */
interface AnyHeaders {
  readonly get?: { readonly call?: (headers: AnyHeaders, name: string) => string | null };
  readonly [name: string]: unknown;
}

/**
 * Returns the value of a header. Several lines are joined by commas (RFC 9110 §5.3). The name must be
 * in lower case, as Node's headers are, because a lookup is faster than a search.
 */
export function headerOf(headers: WebhookHeaders, name: string): string | null {
  // Some methods `get` return an empty text for a missing header, such as Koa's.
  const own =
    (headers as AnyHeaders)[name] ??
    ((headers as AnyHeaders).get?.call?.(headers as AnyHeaders, name) || null);
  const values: unknown[] = [];
  if (own != null) return String(own);
  for (const key in headers) {
    // The lengths are compared first, because that is faster for the usual missing header.
    if (key.length === name.length && key.toLowerCase() === name) {
      values.push((headers as AnyHeaders)[key] ?? []);
    }
  }
  if (Symbol.iterator in headers) {
    for (const [key, value] of headers as Iterable<readonly [string, unknown]>) {
      if (key.toLowerCase() === name) values.push(value);
    }
  }
  return values.flat().length ? values.join() : null;
}

/**
 * Reads the signatures and checks the age. It runs first, because it does not hash. Reads the headers of
 * Standard Webhooks if there is no `X-Service-Signature`, and during a rotation, because only
 * `webhook-signature` has a signature by each secret.
 */
export function readClaim(headers: WebhookHeaders, options: VerifyOptions): Claim {
  // Only sent during a rotation.
  const next = headerOf(headers, 'x-service-signature-next');
  const standard =
    (next !== null || headerOf(headers, 'x-service-signature') === null) &&
    headerOf(headers, 'webhook-signature') !== null;
  const keys = keysOf(options, standard ? 'standard' : 'service');
  // Names in full, because the lookup of a joined name is slow.
  const signatureName = standard ? 'webhook-signature' : 'x-service-signature';
  const timestampName = standard ? 'webhook-timestamp' : 'x-service-timestamp';
  const encoding = standard ? 'base64' : 'hex';
  const separator = standard ? ' ' : ',';
  let list = present(headers, signatureName);
  const timestamp = present(headers, timestampName);
  if (next && !standard) list += `,${next}`;

  const signatures: string[] = [];
  // `split` takes 80 ns more for the usual single signature.
  for (const element of list.includes(separator) ? list.split(separator) : [list]) {
    const match =
      listElement.exec(element) ??
      refuse('malformed_header', `${signatureName} must be ${encoding}`);
    const signature = match[standard ? 2 : 1];
    // There is none in an element that is empty or of another scheme.
    if (signature) signatures.push(signature);
  }
  // The length is enough for 16 signatures with separators. Shorty sends at most three in a header.
  if (list[1168] || !signatures[0]) {
    refuse('malformed_header', `${signatureName} must be ${encoding}`);
  }
  if (!/^\d+$/.test(timestamp)) {
    refuse('malformed_header', `${timestampName} must be Unix seconds`);
  }
  const { tolerance = 300, now = Date.now() } = options;
  const distance = Math.abs(Math.floor((now as number) / 1000) - (timestamp as unknown as number));
  // The negation refuses every time if now is invalid.
  if (!(distance <= tolerance)) {
    refuse('timestamp_out_of_tolerance', `${timestampName} is ${distance} s from now`);
  }
  return [
    keys,
    `${standard ? `${present(headers, 'webhook-id')}.` : ''}${timestamp}.`,
    encoding,
    signatures,
  ];
}

/** Returns the value of a header, or throws `missing_header`. */
function present(headers: WebhookHeaders, name: string): string {
  return headerOf(headers, name) ?? refuse('missing_header', `${name} is missing`);
}
