import { isDeepStrictEqual } from 'node:util';

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
