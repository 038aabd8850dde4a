import { refuse } from './errors.js';
import { type Key, type Settings, standardKeyOf } from './options.js';

/**
 * The headers of a request: `Headers`, a `Map`, pairs, an object with a method `get`, or a plain object
 * with names in any case and a value or an array for each.
 */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | Iterable<readonly [string, string | readonly string[]]>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The signatures of a request, which are not verified yet. */
export interface Claim {
  readonly keys: readonly Key[];
  /** The signed text before the body. */
  readonly prefix: string;
  readonly encoding: 'hex' | 'base64';
  /** Each 64 hexadecimal digits, or 44 characters of base64. */
  readonly signatures: readonly string[];
  /** The id of the delivery, for a deduper. */
  readonly deliveryId: string | null;
}

/** Where a scheme has its signatures, and how it writes them. */
const schemes = {
  service: {
    signatureName: 'x-service-signature',
    timestampName: 'x-service-timestamp',
    separator: /[ \t,]+/,
    mark: 'sha256=',
    encoding: 'hex',
    signature: /^sha256=([\da-fA-F]{64})$/,
  },
  standard: {
    signatureName: 'webhook-signature',
    timestampName: 'webhook-timestamp',
    separator: /[ \t]+/,
    mark: 'v1,',
    encoding: 'base64',
    signature: /^v1,([\da-zA-Z+/]{43}=)$/,
  },
} as const;
type Scheme = (typeof schemes)[keyof typeof schemes];

/** Enough for 16 signatures with separators. Shorty sends at most three in a header. */
const maxListLength = 1168;

/**
 * Reads the signatures and checks the age. It runs first, because it does not hash. Reads the headers of
 * Standard Webhooks if there is no `X-Service-Signature`, and during a rotation, because only
 * `webhook-signature` has a signature by each secret.
 */
export function readClaim(headers: WebhookHeaders, settings: Settings): Claim {
  // Only sent during a rotation.
  const next = headerOf(headers, 'x-service-signature-next');
  const isStandard =
    (next !== null || headerOf(headers, 'x-service-signature') === null) &&
    headerOf(headers, 'webhook-signature') !== null;
  const scheme = isStandard ? schemes.standard : schemes.service;
  const { signatureName, timestampName, encoding } = scheme;
  const list = present(headers, signatureName);
  const timestamp = present(headers, timestampName);
  const signatures = readSignatures(isStandard || !next ? list : `${list},${next}`, scheme);
  checkAge(timestamp, timestampName, settings);
  if (isStandard) {
    const deliveryId = present(headers, 'webhook-id');
    const keys = settings.secrets.map(standardKeyOf);
    return { keys, prefix: `${deliveryId}.${timestamp}.`, encoding, signatures, deliveryId };
  }
  const deliveryId = headerOf(headers, 'x-service-delivery-id');
  return { keys: settings.secrets, prefix: `${timestamp}.`, encoding, signatures, deliveryId };
}

/** Returns the signatures of a list. Empty elements and those of other schemes are skipped. */
function readSignatures(list: string, scheme: Scheme): string[] {
  const { signatureName, separator, mark, encoding, signature } = scheme;
  const malformed = () =>
    refuse('malformed_header', `${signatureName} must be ${mark}<${encoding}>`);
  if (list.length > maxListLength) malformed();
  const signatures: string[] = [];
  for (const element of list.split(separator)) {
    const [, text] = signature.exec(element) ?? [];
    // Other schemes write a name, `=` or a comma, and the signature.
    const isOther = /^(\w+[=,].*)?$/.test(element) && !element.startsWith(mark);
    if (text !== undefined) signatures.push(text);
    else if (!isOther) malformed();
  }
  if (signatures.length === 0) malformed();
  return signatures;
}

function checkAge(timestamp: string, name: string, { tolerance, now }: Settings): void {
  if (!/^\d+$/.test(timestamp)) refuse('malformed_header', `${name} must be Unix seconds`);
  const seconds = Math.floor((now?.getTime() ?? Date.now()) / 1000);
  const distance = Math.abs(seconds - Number(timestamp));
  if (distance > tolerance) refuse('timestamp_out_of_tolerance', `${name} is ${distance} s off`);
}

/** Returns the value of a header, or throws `missing_header`. */
function present(headers: WebhookHeaders, name: string): string {
  return headerOf(headers, name) ?? refuse('missing_header', `${name} is missing`);
}

/**
 * Returns the value of a header. Several lines are joined by commas (RFC 9110 §5.3). The name must be
 * in lower case.
 */
function headerOf(headers: WebhookHeaders, name: string): string | null {
  if (Object(headers) !== headers) throw new TypeError('headers must be those of the request');
  const record = headers as Readonly<Record<string, unknown>>;
  // A plain object may have a header of the name "get". Names of Node's headers are in lower case.
  const value: unknown = typeof record.get === 'function' ? record.get(name) : record[name];
  // Some methods `get` return an empty text for a missing header, such as Koa's.
  if (value) return String(value);
  const isNamed = (key: string) => key.length === name.length && key.toLowerCase() === name;
  const values: readonly unknown[] =
    Symbol.iterator in headers
      ? Array.from(headers).flatMap(([key, each]) => (isNamed(key) ? each : []))
      : Object.keys(record)
          .filter(isNamed)
          .flatMap((key) => record[key] ?? []);
  return values.length > 0 ? values.join() : null;
}
