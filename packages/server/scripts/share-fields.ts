import { isDeepStrictEqual } from 'node:util';
import { scanMethods } from '../src/analytics/classify/decide-scan.js';
import { deviceTypes } from '../src/analytics/classify/device-types.js';
import { referrerTypes } from '../src/analytics/classify/referrer-types.js';
import { keyScopes, scopes } from '../src/contract/define-route.js';
import { instantPattern } from '../src/contract/parse-instant.js';
import { formats } from '../src/qr/drawing/qr-design.js';

/** A schema of an OpenAPI document that describes an object. */
interface ObjectSchema {
  readonly type?: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

/** Schemas that share their equal fields, by the name of the base: a schema of the document, or a new one. */
const families: Readonly<Record<string, RegExp>> = {
  NewUrlFields: /^Url(Create|Upsert)Request$/,
  UrlFields: /^(NewUrlFields|UrlUpdateRequest|UrlBulkUpdateItem)$/,
  UrlRecord: /^Url(Deleted)?EventData$/,
  UrlListItem: /^UrlBulkUpdated$/,
  NewUrl: /^(UrlListItem|UrlBulkCreated)$/,
  UrlBulkError: /^UrlBulk(Create|Update)Error$/,
  QrRecord: /^QrEventData$/,
  Domain: /^DomainEventData$/,
  WebhookFields: /^Webhook(Create|Update)Request$/,
  Webhook: /^WebhookCreated$/,
  Delivery: /^DeliveryDetail$/,
  ApiKey: /^ApiKeyCreated$/,
  Client: /^ClientCreated$/,
  Organization: /^OrganizationCreated$/,
  User: /^Invitation$/,
  Usage: /^OrganizationUsage$/,
  ReportWindow: /^(AnalyticsOverview|QrScans|UrlClicks)$/,
  EventInfo: /.Event$/,
  PageInfo: /^(?!Event|Visit).*(Page|Export)$/,
};

/**
 * Describes fields that several schemas share in one of them, or in a new one, to which the others refer
 * by `allOf`. Code generators make an interface of each.
 */
export function shareFields(schemas: Record<string, unknown>): void {
  for (const [base, pattern] of Object.entries(families)) {
    const members = Object.keys(schemas).filter((name) => pattern.test(name));
    const derived = members.map((name) => schemas[name] as ObjectSchema);
    schemas[base] ??= commonFields(derived);
    for (const [index, name] of members.entries()) {
      schemas[name] = extend(base, schemas[base] as ObjectSchema, derived[index] as ObjectSchema);
    }
  }
}

/** The base of the rows of each schema of breakdowns. */
const rowBases = { ClickBreakdowns: 'ClickRow', ScanBreakdowns: 'ScanRow' };

/** Describes the fields that the rows of all breakdowns have once. */
export function shareRowFields(schemas: Record<string, unknown>): void {
  for (const [name, base] of Object.entries(rowBases)) {
    const breakdowns = Object.values((schemas[name] as ObjectSchema).properties) as {
      items: ObjectSchema;
    }[];
    const shared = commonFields(breakdowns.map(({ items }) => items));
    schemas[base] = shared;
    for (const breakdown of breakdowns) {
      breakdown.items = extend(base, shared, breakdown.items) as ObjectSchema;
    }
  }
}

function commonFields(schemas: readonly ObjectSchema[]): ObjectSchema {
  const [first, ...others] = schemas as [ObjectSchema, ...ObjectSchema[]];
  const properties = Object.entries(first.properties).filter(([name, field]) =>
    others.every((other) => isDeepStrictEqual(other.properties[name], field)),
  );
  const required = first.required?.filter(
    (name) =>
      properties.some(([shared]) => shared === name) &&
      others.every((other) => other.required?.includes(name)),
  );
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required?.length && { required }),
  };
}

function extend(name: string, base: ObjectSchema, schema: ObjectSchema): object {
  const { type: _, properties, required = [], additionalProperties, ...rest } = schema;
  for (const [field, shared] of Object.entries(base.properties)) {
    if (!isDeepStrictEqual(properties[field], shared)) {
      throw new Error(`${field} differs from that of ${name}`);
    }
  }
  const own = Object.entries(properties).filter(([field]) => !(field in base.properties));
  const ownRequired = required.filter((field) => !base.required?.includes(field));
  return {
    ...rest,
    allOf: [{ $ref: `#/components/schemas/${name}` }],
    ...(own.length > 0 && { properties: Object.fromEntries(own) }),
    ...(ownRequired.length > 0 && { required: ownRequired }),
    // additionalProperties would also refuse the fields of the base.
    ...(additionalProperties === false && { unevaluatedProperties: false }),
  };
}

const text = { type: 'string' };
const valuesOf = (values: readonly string[]) => ({ ...text, enum: values });

/** Values that several fields have, by the name of their schema. */
const values: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  Scope: valuesOf(scopes),
  KeyScope: valuesOf(keyScopes),
  DeviceType: valuesOf(deviceTypes),
  ReferrerType: valuesOf(referrerTypes),
  ScanMethod: valuesOf(scanMethods),
  QrFormat: valuesOf(formats),
  Instant: { ...text, pattern: instantPattern.source },
};

/** Describes values that several fields have once. Code generators make a type of each. */
export function shareValues(schemas: Record<string, unknown>, document: object): void {
  referToValues(document as Record<string, unknown>);
  Object.assign(schemas, values);
}

function referToValues(part: Record<string, unknown>): void {
  for (const child of Object.values(part) as Record<string, unknown>[]) {
    if (typeof child !== 'object' || child === null) continue;
    referToValues(child);
    const shared = Object.entries(values).find(([, schema]) =>
      Object.entries(schema).every(([key, value]) => isDeepStrictEqual(child[key], value)),
    );
    if (!shared) continue;
    const [name, schema] = shared;
    for (const key of Object.keys(schema)) delete child[key];
    child.$ref = `#/components/schemas/${name}`;
  }
}
