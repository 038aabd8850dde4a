import type { Selectable } from 'kysely';
import { z } from 'zod';
import {
  atMost,
  characters,
  displayText,
  instant,
  line,
  plainLine,
  timestamp,
  uuid,
} from '../contract/fields.js';
import { type CamelCase, columnOf } from '../contract/present.js';
import { maxTargetUrlBytes, targetUrl } from '../network/target-url.js';
import type { Schema } from '../storage/database.js';
import { formatTags, parseTags } from '../storage/tag-text.js';
import { type LinkPreview, previewRecord, previewSetting } from './link-preview.js';
import { type LinkRule, linkRules, ruleRecords } from './link-rules.js';

/** How a field is stored, and what requests and records have of it. */
interface Kind<Value> {
  /** The value of a link without the field. */
  readonly empty: Value;
  /** Undefined functions leave a value as it is. */
  readonly read?: (stored: never) => Value;
  readonly write?: (value: Value) => string | number | null;
  /** Converts what a request has. Not called for null, which stands for `empty`. */
  readonly accept?: (sent: never) => Value;
  readonly present?: (value: Value) => unknown;
}

export interface LinkField {
  readonly kind: { readonly empty: unknown };
  /** Its schema in requests, if both POST and PATCH set it. PATCH clears it by null. */
  readonly input?: z.ZodType;
  /** Its schema in the record, if the record has the field like this. */
  readonly record?: z.ZodType;
  /** Whether it decides if, where and how the link redirects. Links that redirect alike have it in common. */
  readonly redirects?: true;
}

/** The columns that are computed from others. */
const computedColumns = ['search_text', 'settings_hash'] as const;
type ComputedColumn = (typeof computedColumns)[number];
type LinkColumn = Exclude<keyof Schema['urls'], ComputedColumn>;
/** The fields of a stored link. Each is named as its column, in camel case. */
export type FieldName = CamelCase<LinkColumn>;

const always = <Value>(): Kind<Value> => ({ empty: undefined as Value });
const text: Kind<string | null> = { empty: null };
const number: Kind<number | null> = { empty: null };
const time: Kind<number | null> = {
  empty: null,
  accept: (sent: string) => Date.parse(sent),
  present: (at) => (at === null ? null : new Date(at).toISOString()),
};
const flag: Kind<boolean | null> = {
  empty: null,
  read: (stored: number | null) => (stored === null ? null : stored === 1),
  write: (value) => (value === null ? null : Number(value)),
};
const tagList: Kind<readonly string[]> = { empty: [], read: parseTags, write: formatTags };

/** JSON in a column that is null for the empty value. */
function json<Value>(empty: Value): Kind<Value> {
  const emptyText = JSON.stringify(empty);
  return {
    empty,
    read: (stored: string | null) => (stored === null ? empty : JSON.parse(stored)),
    write(value) {
      const stored = JSON.stringify(value);
      return stored === emptyText ? null : stored;
    },
  };
}

export const maxImportedClicks = 1_000_000_000_000;
const maxCustomUtmParams = 50;
const maxUtmLength = 512;
const textRecord = z.string().nullable();

/** A text field. Its schema in requests says more about it. */
function textField<Input extends z.ZodType>(input: Input) {
  return { kind: text, input: input.nullish(), record: textRecord } as const;
}

function utmField(description: string, example?: string) {
  const input = line(maxUtmLength, 1).meta({ description });
  const field = textField(example === undefined ? input : input.meta({ example }));
  return { ...field, record: textRecord.meta({ description }), redirects: true } as const;
}

const timeField = (description: string) =>
  ({
    kind: time,
    input: timestamp.nullish().describe(description),
    record: instant.nullable(),
    redirects: true,
  }) as const;

const flagField = {
  kind: flag,
  input: z.boolean().nullish(),
  record: z.boolean().nullable(),
} as const;

export const customSlug = z
  .string()
  .min(3, 'must be 3 to 50 characters long')
  .max(50, 'must be 3 to 50 characters long')
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/,
    'must consist of letters, digits and hyphens (A-Z a-z 0-9 -), without a hyphen at either end',
  )
  .meta({
    description: 'Case-sensitive. It cannot be changed, and no other link can ever use it.',
    example: 'spring-sale',
  });

export const tagName = plainLine(100, 1);

export const externalId = line(255, 1).meta({
  description:
    'The id of the link in another system. It is unique in the organization, deleted links included.',
  example: 'order-1001',
});

export const redirectType = z
  .literal([301, 302, 307, 308], { error: 'must be 301, 302, 307 or 308' })
  .meta({ description: 'The HTTP status of the redirect.', example: 307 });

export type RedirectType = z.output<typeof redirectType>;

const customUtmParams = atMost(
  maxCustomUtmParams,
  `must have at most ${maxCustomUtmParams} pairs`,
  z
    .record(
      characters(maxUtmLength, 1).refine(
        (name) => name.isWellFormed(),
        'must be well-formed Unicode (it contains an unpaired surrogate)',
      ),
      line(maxUtmLength),
    )
    .meta({
      description:
        'Further parameters to set on the target, by name. A name may have any characters. A field such as utmSource wins over the same parameter here.',
      example: { utm_id: 'abc.123' },
    }),
);

/**
 * The fields of a link, in the order in which records and exported files have them. A new field of requests
 * and records is an entry here and a column of `urls` in `storage/tables.ts`; all else derives from them.
 */
export const linkFields = {
  id: { kind: always<number>() },
  organizationId: { kind: always<string>(), redirects: true },
  shortCode: { kind: always<string>() },
  customSlug: { kind: text },
  targetUrl: { kind: { empty: '' } as Kind<string>, redirects: true },
  externalId: textField(externalId),
  title: textField(displayText(500).meta({ example: 'Spring sale' })),
  description: textField(displayText(5000)),
  category: textField(displayText(100).meta({ example: 'campaigns' })),
  tags: {
    kind: tagList,
    input: atMost(
      20,
      'must have at most 20 tags',
      z.array(tagName).overwrite((tags) => [...new Set(tags)]),
    )
      .nullish()
      .meta({ example: ['launch', 'mail'] }),
    record: z.array(z.string()),
  },
  domainId: {
    kind: text,
    input: uuid
      .nullish()
      .describe("An active custom domain of the organization; the platform's domain otherwise."),
    record: z.string().nullable().meta({ format: 'uuid' }),
    redirects: true,
  },
  redirectType: {
    kind: { empty: 307 } as Kind<RedirectType>,
    input: redirectType.nullish(),
    record: redirectType,
    redirects: true,
  },
  activatesAt: timeField(
    'When the link starts redirecting: before expiresAt. Until then, visitors get 404, as for a link that does not exist.',
  ),
  expiresAt: timeField('When the link stops redirecting. Must lie in the future.'),
  expiredUrl: {
    ...textField(
      targetUrl.meta({
        description: `Where visitors are sent (302) when the link has expired or its maxClicks are used up, instead of a page that says so: http or https, at most ${maxTargetUrlBytes} bytes. It must not lead to a host of short links on this server. Such visits are not counted. A link that is paused, deleted or taken down does not lead there.`,
        example: 'https://example.com/sale-is-over',
      }),
    ),
    redirects: true,
  },
  maxClicks: {
    kind: number,
    input: z.int().min(1).max(maxImportedClicks).nullish().meta({
      description:
        'How many clicks the link redirects in all. Then visitors get 410, or are sent to expiredUrl. Clicks before the limit was set count, those of another link shortener do not. Link previews, bots and HEAD requests are redirected without using a click.',
      example: 100,
    }),
    record: z.int().min(1).nullable().meta({ example: 100 }),
    redirects: true,
  },
  passwordHash: { kind: text, redirects: true },
  utmSource: utmField(
    'Set as utm_source on the target: where the visitor comes from.',
    'newsletter',
  ),
  utmMedium: utmField('Set as utm_medium on the target: the kind of channel.', 'email'),
  utmCampaign: utmField('Set as utm_campaign on the target: the name of the campaign.'),
  utmTerm: utmField('Set as utm_term on the target: the paid search term.'),
  utmContent: utmField('Set as utm_content on the target: which of several links it is.'),
  customUtmParams: {
    kind: json<Readonly<Record<string, string>>>({}),
    input: customUtmParams.nullish(),
    record: z.record(z.string(), z.string()),
    redirects: true,
  },
  sourceDomain: textField(
    line(253).meta({ description: 'A hint for attribution.', example: 'blog.example.com' }),
  ),
  forwardQuery: { ...flagField, redirects: true },
  forwardPath: { ...flagField, redirects: true },
  rules: {
    kind: json<readonly LinkRule[]>([]),
    input: linkRules.nullish(),
    record: ruleRecords,
    redirects: true,
  },
  preview: {
    kind: json<LinkPreview | null>(null),
    input: previewSetting.nullish(),
    record: previewRecord,
    redirects: true,
  },
  infoPage: flagField,
  publicStats: flagField,
  isActive: { kind: { ...flag, empty: false } as Kind<boolean> },
  targetBlockedAt: { kind: time, record: instant.nullable() },
  deletedAt: { kind: time, record: instant.nullable() },
  /** Set while the link is being erased, and nothing of it but its keys is left. */
  erasedAt: { kind: number },
  importedClicks: { kind: { empty: 0 } as Kind<number>, record: z.int().min(0) },
  takenDownAt: { kind: number },
  takedownReason: { kind: text },
  createdBy: {
    kind: text,
    record: textRecord.meta({
      description: 'The id of the person, client or API key that created the link.',
      example: 'shorty_ci_0f3b',
    }),
  },
  createdAt: { kind: always<number>() },
  updatedAt: { kind: always<number>() },
} as const satisfies Record<FieldName, LinkField>;

type Fields = typeof linkFields;
type ValueOf<Name extends FieldName> =
  Fields[Name]['kind'] extends Kind<infer Value> ? Value : never;

/** The values of all fields. Instants are milliseconds since 1970. */
export type LinkValues = { readonly [Name in FieldName]: ValueOf<Name> };

type SchemasOf<Part extends 'input' | 'record'> = {
  [Name in FieldName as Fields[Name] extends Record<Part, z.ZodType>
    ? Name
    : never]: Fields[Name] extends Record<Part, infer Type extends z.ZodType> ? Type : never;
};

const fieldNames = Object.keys(linkFields) as FieldName[];
const kinds = Object.entries(linkFields).map(
  ([name, { kind }]) => [name as FieldName, kind as Kind<unknown>] as const,
);

function schemasOf<Part extends 'input' | 'record'>(part: Part): SchemasOf<Part> {
  const fields: Readonly<Record<string, LinkField>> = linkFields;
  const schemas = fieldNames.map((name) => [name, fields[name]?.[part]] as const);
  return Object.fromEntries(schemas.filter(([, schema]) => schema)) as SchemasOf<Part>;
}

export const settingInputs = schemasOf('input');
const settingKinds = kinds.filter(([name]) => name in settingInputs);

export const recordFields = schemasOf('record');

const columns = new Map(fieldNames.map((name) => [name, columnOf(name) as LinkColumn]));

type Selection = { [Column in LinkColumn]: `urls.${Column} as ${CamelCase<Column>}` }[LinkColumn];

/** Selects the columns of all fields, named as the fields. */
export const fieldSelections = [...columns].map(
  ([name, column]) => `urls.${column} as ${name}` as Selection,
);

/** The columns that are equal in links which redirect alike. Sorted, because `settings_hash` is stored. */
export const redirectColumns = [...columns]
  .flatMap(([name, column]) => ('redirects' in linkFields[name] ? [column] : []))
  .sort();

/** The value that each field has in a link without it. Those that every link has are undefined. */
export const emptyValues = Object.fromEntries(
  kinds.map(([name, { empty }]) => [name, empty]),
) as LinkValues;

/**
 * Returns a function that creates objects with these properties, which callers then set. An object that gets
 * more than a dozen properties by computed names becomes a hash table, which takes ten times as long.
 */
export function createsObjects(names: Iterable<string>): () => Record<string, unknown> {
  // A parsed object is none.
  const empty = JSON.parse(
    JSON.stringify(Object.fromEntries([...names].map((name) => [name, null]))),
  );
  return () => ({ ...empty });
}

const newRow = createsObjects([...columns.values(), ...computedColumns]);
const newRecord = createsObjects(Object.keys(recordFields));

/** Sets the values of a row that `fieldSelections` selected. */
export function readFields(
  row: { readonly [Name in FieldName]: unknown },
  values: { [Name in FieldName]: unknown },
): void {
  for (const [name, { read }] of kinds) {
    const stored = row[name];
    values[name] = read ? read(stored as never) : stored;
  }
}

/** Returns the row of a link, in which the computed columns are null. */
export function writeFields(url: LinkValues): Omit<Selectable<Schema['urls']>, ComputedColumn> {
  const row = newRow();
  for (const [name, { write }] of kinds) {
    const value = url[name];
    row[columns.get(name) as string] = write ? write(value) : value;
  }
  return row as ReturnType<typeof writeFields>;
}

/** What a request sets. A missing field stays as it is; null clears it. */
type SentSettings = Partial<z.output<z.ZodObject<typeof settingInputs>>>;

export function acceptFields(sent: SentSettings): Partial<LinkValues> {
  const given: Readonly<Record<string, unknown>> = sent;
  const settings = settingKinds.filter(([name]) => given[name] !== undefined);
  return Object.fromEntries(
    settings.map(([name, { empty, accept }]) => {
      const value = given[name] ?? null;
      if (value === null) return [name, empty];
      return [name, accept ? accept(value as never) : value];
    }),
  );
}

/** Returns the fields of a record that are as they are stored. */
export function presentFields(url: LinkValues): z.input<z.ZodObject<typeof recordFields>> {
  const record = newRecord();
  for (const [name, { present }] of kinds) {
    if (name in recordFields) record[name] = present ? present(url[name]) : url[name];
  }
  return record as ReturnType<typeof presentFields>;
}
