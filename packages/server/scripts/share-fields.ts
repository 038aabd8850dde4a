import { isDeepStrictEqual } from 'node:util';

/** A schema of an OpenAPI document that describes an object. */
interface ObjectSchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

type Schemas = Record<string, unknown>;

/** Schemas that share their equal fields. The base is one of the document, or a new one. */
const families: readonly { readonly base: string; readonly members: readonly string[] | RegExp }[] =
  [
    { base: 'NewUrlFields', members: ['UrlCreateRequest', 'UrlUpsertRequest'] },
    { base: 'UrlFields', members: ['NewUrlFields', 'UrlUpdateRequest', 'UrlBulkUpdateItem'] },
    {
      base: 'UrlRecord',
      members: ['UrlEventData', 'UrlUpdatedEventData', 'UrlDeletedEventData'],
    },
    { base: 'UrlValues', members: ['UrlRecord'] },
    { base: 'QrRecord', members: ['QrEventData'] },
    { base: 'Domain', members: ['DomainEventData'] },
    { base: 'WebhookFields', members: ['WebhookCreateRequest', 'WebhookUpdateRequest'] },
    { base: 'Delivery', members: ['DeliveryDetail'] },
    { base: 'ApiKey', members: ['ApiKeyCreated'] },
    { base: 'Client', members: ['ClientCreated'] },
    { base: 'Organization', members: ['OrganizationCreated'] },
    { base: 'Usage', members: ['OrganizationUsage'] },
    { base: 'ReportWindow', members: ['AnalyticsOverview', 'QrScans', 'UrlClicks'] },
    { base: 'EventInfo', members: /.Event$/ },
    { base: 'PageInfo', members: /^(?!Event|Visit).*(Page|Export)$/ },
  ];

/**
 * Describes fields that several schemas share in one of them, or in a new one, to which the others refer
 * by `allOf`. Code generators make an interface of each.
 */
export function shareFields(schemas: Schemas): void {
  for (const { base, members } of families) {
    const names = Array.isArray(members)
      ? members
      : Object.keys(schemas).filter((name) => (members as RegExp).test(name));
    const derived = names.map((name) => schemaOf(schemas, name));
    const shared = (schemas[base] as ObjectSchema | undefined) ?? commonFields(derived);
    schemas[base] ??= shared;
    for (const [index, name] of names.entries()) {
      schemas[name] = extend(base, shared, derived[index] as ObjectSchema, name);
    }
  }
}

function schemaOf(schemas: Schemas, name: string): ObjectSchema {
  const schema = schemas[name] as ObjectSchema | undefined;
  if (!schema?.properties) throw new Error(`${name} is no schema of an object`);
  return schema;
}

function commonFields(schemas: readonly ObjectSchema[]): ObjectSchema {
  const [first, ...others] = schemas as [ObjectSchema, ...ObjectSchema[]];
  const properties = Object.entries(first.properties).filter(([name, field]) =>
    others.every((other) => isDeepStrictEqual(other.properties[name], field)),
  );
  const required = properties
    .map(([name]) => name)
    .filter((name) => schemas.every((schema) => schema.required?.includes(name)));
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
  };
}

function extend(name: string, base: ObjectSchema, schema: ObjectSchema, derived: string): object {
  const { type: _, properties, required = [], additionalProperties, ...rest } = schema;
  for (const [field, shared] of Object.entries(base.properties)) {
    if (!isDeepStrictEqual(properties[field], shared))
      throw new Error(`${derived}.${field} differs from ${name}.${field}`);
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
