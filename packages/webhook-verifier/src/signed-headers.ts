import { refuse } from './errors.js';
import {
  type Key,
  keysOf,
  refuseUnknown,
  type Scheme,
  type VerifyOptions,
  verifyOptionNames,
} from './options.js';

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

/** The signatures of a request, which are not verified yet. */
export interface Claim {
  readonly keys: readonly Key[];
  /** The signed text before the body. */
  readonly prefix: string;
  readonly encoding: Encoding;
  /** Each 64 hexadecimal digits, or 44 characters of base64. */
  readonly signatures: readonly string[];
}

/** Where a scheme has its signatures, and how it writes them. */
const schemes = {
  service: {
    signatureName: 'x-service-signature',
    timestampName: 'x-service-timestamp',
    encoding: 'hex',
    separator: ',',
    mark: 'sha256=',
    signature: /^[\da-fA-F]{64}$/,
  },
  standard: {
    signatureName: 'webhook-signature',
    timestampName: 'webhook-timestamp',
    encoding: 'base64',
    separator: ' ',
    mark: 'v1,',
    signature: /^[\da-zA-Z+/]{43}=$/,
  },
} as const;

/** Enough for 16 signatures with separators. Shorty sends at most three in a header. */
const maxListLength = 1168;

/**
 * Returns the value of a header. Several lines are joined by commas (RFC 9110 §5.3). The name must be
 * in lower case.
 */
export function headerOf(headers: WebhookHeaders, name: string): string | null {
  const record = headers as Readonly<Record<string, unknown>>;
  // Node's headers have names in lower case, so this is the usual way.
  const own = record[name];
  if (own !== undefined && own !== null) return String(own);
  // A plain object may have a header of the name "get".
  const { get } = headers as { get?: unknown };
  if (typeof get === 'function') {
    const value: unknown = get.call(headers, name);
    // Some methods `get` return an empty text for a missing header, such as Koa's.
    if (value) return String(value);
  }
  const pairs: Iterable<readonly [string, unknown]> =
    Symbol.iterator in headers
      ? (headers as Iterable<readonly [string, unknown]>)
      : Object.entries(record);
  const values: unknown[] = [];
  for (const [key, value] of pairs) {
    if (key.toLowerCase() === name && value !== undefined) values.push(value);
  }
  return values.flat().length > 0 ? values.join() : null;
}

/**
 * Reads the signatures and checks the age. It runs first, because it does not hash. Reads the headers of
 * Standard Webhooks if there is no `X-Service-Signature`, and during a rotation, because only
 * `webhook-signature` has a signature by each secret.
 */
export function readClaim(headers: WebhookHeaders, options: VerifyOptions): Claim {
  refuseUnknown(options, verifyOptionNames);
  // Only sent during a rotation.
  const next = headerOf(headers, 'x-service-signature-next');
  const isStandard =
    (next !== null || headerOf(headers, 'x-service-signature') === null) &&
    headerOf(headers, 'webhook-signature') !== null;
  const scheme = isStandard ? 'standard' : 'service';
  const keys = keysOf(options, scheme);
  const { signatureName, timestampName, encoding } = schemes[scheme];
  const list = present(headers, signatureName);
  const timestamp = present(headers, timestampName);
  const signatures = readSignatures(
    next !== null && !isStandard ? `${list},${next}` : list,
    scheme,
  );
  checkAge(timestamp, timestampName, options);
  const id = isStandard ? `${present(headers, 'webhook-id')}.` : '';
  return { keys, prefix: `${id}${timestamp}.`, encoding, signatures };
}

/** Returns the signatures of a list. Empty elements and those of other schemes are skipped. */
function readSignatures(list: string, scheme: Scheme): string[] {
  const { signatureName, encoding, separator, mark, signature } = schemes[scheme];
  const malformed = () =>
    refuse('malformed_header', `${signatureName} must be ${mark}<${encoding}>`);
  if (list.length > maxListLength) malformed();
  const signatures: string[] = [];
  for (const element of list.split(separator).map((text) => text.replace(/^[ \t]+|[ \t]+$/g, ''))) {
    if (element.startsWith(mark)) {
      const text = element.slice(mark.length);
      if (!signature.test(text)) malformed();
      signatures.push(text);
    } else if (!isOtherScheme(element)) {
      malformed();
    }
  }
  if (signatures.length === 0) malformed();
  return signatures;
}

/** Other schemes write a name, `=` or a comma, and the signature. */
function isOtherScheme(element: string): boolean {
  if (element === '') return true;
  for (const { mark, signature } of Object.values(schemes)) {
    if (element.startsWith(mark)) return signature.test(element.slice(mark.length));
  }
  return /^\w+[=,].*$/.test(element);
}

function checkAge(timestamp: string, name: string, options: VerifyOptions): void {
  if (!/^\d+$/.test(timestamp)) refuse('malformed_header', `${name} must be Unix seconds`);
  const { tolerance = 300, now = new Date() } = options;
  const distance = Math.abs(Math.floor(now.getTime() / 1000) - Number(timestamp));
  // The negation refuses every time if now is invalid.
  if (!(distance <= tolerance)) {
    refuse('timestamp_out_of_tolerance', `${name} is ${distance} s from now`);
  }
}

/** Returns the value of a header, or throws `missing_header`. */
function present(headers: WebhookHeaders, name: string): string {
  return headerOf(headers, name) ?? refuse('missing_header', `${name} is missing`);
}
