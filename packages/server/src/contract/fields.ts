import { z } from 'zod';
import { shorten } from './api-error.js';
import { instantPattern, parseInstant } from './parse-instant.js';

// C0 and C1 control characters and DEL. They would break names, headers and CSV cells.
const control = /\p{Cc}/u;
const isWellFormed = (value: string) => value.isWellFormed();
const notWellFormed = 'must be well-formed Unicode (it contains an unpaired surrogate)';

/**
 * Text with `min` to `max` characters. Counts Unicode code points, as JSON Schema's `maxLength` does; zod
 * counts UTF-16 units.
 */
export function characters(max: number, min = 0, text = z.string()) {
  return checkedText((value) => findLengthError(value, max, min), text).meta({
    ...(min > 0 && { minLength: min }),
    maxLength: max,
  });
}

function findLengthError(value: string, max: number, min: number): string | undefined {
  // A code point has one or two units, so most texts need no count.
  if (value.length > max && (value.length > 2 * max || [...value].length > max)) {
    return `must be at most ${max} characters long`;
  }
  const isTooShort = value.length < 2 * min && [...value].length < min;
  if (!isTooShort) return undefined;
  return min === 1 ? 'must not be empty' : `must be at least ${min} characters long`;
}

/**
 * One line of text with `min` to `max` characters, which stays as it is: for parts of URLs and ids. What
 * people name and search is `plainLine` or `displayText`.
 */
export function line(max: number, min = 0, text = z.string()) {
  return characters(max, min, text)
    .refine((value) => !control.test(value), 'must not contain control characters or line breaks')
    .refine(isWellFormed, notWellFormed);
}

/**
 * A list or an object with at most `max` entries. Counts them before `schema` validates any, because each
 * invalid entry takes time. Refuses the name `__proto__`, which zod ignores without an error.
 */
export function atMost<Schema extends z.ZodType>(max: number, rule: string, schema: Schema) {
  const limit = schema instanceof z.ZodArray ? { maxItems: max } : { maxProperties: max };
  return z.preprocess((input, context) => {
    if (typeof input !== 'object' || input === null) return input;
    const size = Array.isArray(input) ? input.length : Object.keys(input).length;
    if (size > max) context.addIssue({ code: 'custom', message: rule });
    if (Object.hasOwn(input, '__proto__')) {
      context.addIssue({ code: 'custom', path: ['__proto__'], message: 'is not an allowed name' });
    }
    return input;
  }, schema.meta(limit));
}

/**
 * Text in normal form C, counted after it. Without one form, two texts that look the same differ: macOS
 * names its files in form D.
 */
const normalized = z.string().normalize();

/** One line of text that people read, compare and search, in normal form C. */
export function plainLine(max: number, min = 0) {
  return line(max, min, normalized);
}

/** A new password. A visitor may type it in any normal form. */
export function newPassword(max: number, min = 1) {
  return characters(max, min, normalized);
}

export const emailAddress = z
  .email('must be an e-mail address, such as ada@example.com')
  .max(254)
  .overwrite((value) => value.toLowerCase());

/** A text for which `findError` returns nothing. */
export function checkedText(findError: (text: string) => string | undefined, text = z.string()) {
  return text.check(({ value, issues }) => {
    const message = findError(value);
    if (message) issues.push({ code: 'custom', message, input: value });
  });
}

/** A text that `parse` converts. It returns undefined for an invalid one, about which `errorOf` says why. */
export function parsedText<Value>(
  parse: (text: string) => Value | undefined,
  errorOf: (text: string) => string,
) {
  return z.string().transform((text, context): Value => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: errorOf(text) });
    return z.NEVER;
  });
}

/** A whole number in a body. */
export function integer(min: number, max: number) {
  const rule = `must be a whole number from ${min} to ${max}`;
  return z.int(rule).min(min, rule).max(max, rule);
}

/** Any text of at most `maxBytes` bytes in UTF-8, control characters included. */
export function arbitraryText(maxBytes: number) {
  return z
    .string()
    .check(({ value, issues }) => {
      const refuse = (message: string) => issues.push({ code: 'custom', message, input: value });
      if (value === '') refuse('must not be empty');
      // A UTF-16 unit takes at least one byte, so a long text is not counted.
      if (value.length > maxBytes || Buffer.byteLength(value) > maxBytes) {
        refuse(`must be at most ${maxBytes} bytes long in UTF-8`);
      }
      if (value.includes('\0')) refuse('must not contain U+0000, which PostgreSQL cannot store');
      if (!isWellFormed(value)) refuse(notWellFormed);
    })
    .meta({ minLength: 1, ...byteLimit(maxBytes) });
}

/**
 * Describes a limit of bytes in UTF-8 in OpenAPI. JSON Schema counts characters only, so `maxLength` is
 * necessary, and the extension is exact.
 */
export function byteLimit(maxBytes: number) {
  return { maxLength: maxBytes, 'x-maxBytes': maxBytes };
}

/**
 * Text for display in normal form C, `min` to `max` characters. Tabs and line breaks become one space.
 * Other control characters, and characters that override the direction of text, are refused; the error
 * names them.
 */
export function displayText(max: number, min = 0) {
  const oneLine = normalized.overwrite((value) => value.replace(/[\t\n\r\u2028\u2029]+/g, ' '));
  return characters(max, min, oneLine)
    .superRefine((value, context) => {
      const [found] = forbiddenInText.exec(value) ?? [];
      if (found === undefined) return;
      context.addIssue({ code: 'custom', message: `must not contain ${nameOfCharacter(found)}` });
    })
    .refine(isWellFormed, notWellFormed);
}

// Marks such as U+200F are allowed, because Hebrew and Arabic text needs them.
const forbiddenInText = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

const bidiNames: Readonly<Record<string, string>> = {
  'U+202A': 'left-to-right embedding',
  'U+202B': 'right-to-left embedding',
  'U+202C': 'pop directional formatting',
  'U+202D': 'left-to-right override',
  'U+202E': 'right-to-left override',
  'U+2066': 'left-to-right isolate',
  'U+2067': 'right-to-left isolate',
  'U+2068': 'first strong isolate',
  'U+2069': 'pop directional isolate',
};

function nameOfCharacter(character: string): string {
  const codePoint = codePointOf(character);
  return `${codePoint} (${bidiNames[codePoint] ?? 'control character'})`;
}

/** Returns the code point of a character in Unicode's notation, such as `U+202E`. */
export function codePointOf(character: string): string {
  const number = character.codePointAt(0) as number;
  return `U+${number.toString(16).toUpperCase().padStart(4, '0')}`;
}

export const uuid = z.guid('must be a UUID').overwrite((value) => value.toLowerCase());

export const uuidParam = uuid.meta({ param: { id: 'Id', description: 'The id of the record.' } });

const instantMeta = {
  override: { type: 'string', pattern: instantPattern.source },
  example: '2030-12-31T23:59:59Z',
} as const;

/** A point in time in a request, as `parseInstant` reads it. Without an offset, it is in any zone. */
export const localTimestamp = z
  .string()
  .refine((text) => parseInstant(text) !== undefined, {
    error: ({ input }) =>
      `is ${JSON.stringify(shorten(String(input)))}: it must be an ISO 8601 date or time, such as 2030-12-31, 2030-12-31T23:59Z or 2030-12-31T23:59:59+02:00`,
  })
  .meta(instantMeta);

/** A point in time in a request. Becomes its full form in UTC, such as `2030-12-31T23:59:59.000Z`. */
export const timestamp = localTimestamp
  .transform((text) => new Date(parseInstant(text) as number).toISOString())
  .meta(instantMeta);

/** The start of a URL in a request, as a pattern. Its other characters need not be ASCII. */
export const webAddress = '^[Hh][Tt][Tt][Pp][Ss]?://';

const decimalId = /^[1-9]\d{0,15}$/;
const idRule =
  'must be a positive integer, as a number or in decimal digits; lookup finds a link by its slug or short URL';

export function parseUrlId(text: string): number | undefined {
  const id = decimalId.test(text) ? Number(text) : 0;
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

/** A URL id in a request body: `42` or `"42"`. Responses always have the string. */
export const urlIdInput = z
  .union([z.number(), z.string()], { error: idRule })
  .transform((value, context) => {
    const id = parseUrlId(String(value));
    if (id !== undefined) return id;
    context.addIssue({ code: 'custom', message: idRule });
    return z.NEVER;
  })
  .meta({
    override: {
      oneOf: [
        { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
        { type: 'string', pattern: decimalId.source },
      ],
    },
    example: 42,
  });

export const urlIdParam = parsedText(parseUrlId, (text) =>
  decimalId.test(text)
    ? 'must be at most 9007199254740991'
    : 'must be a positive integer in decimal digits; lookup finds a link by its slug or short URL',
).meta({
  override: { type: 'string', pattern: decimalId.source },
  example: '42',
  param: { id: 'UrlId', description: 'The id of the link.' },
});

interface IntegerLimits {
  readonly min: number;
  readonly max: number;
  readonly default: number;
}

export function queryInteger(limits: IntegerLimits) {
  return wholeNumber(limits).default(limits.default).meta(openApiOf(limits));
}

function wholeNumber({ min, max }: IntegerLimits) {
  const rule = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, rule)
    .transform(Number)
    .refine((value) => value >= min && value <= max, rule);
}

function openApiOf({ min, max, default: ifMissing }: IntegerLimits) {
  return { override: { type: 'integer', minimum: min, maximum: max, default: ifMissing } } as const;
}

export const queryBoolean = z
  .string()
  .regex(/^(true|false)$/, 'must be true or false')
  .transform((value) => value === 'true')
  .meta({ override: { type: 'boolean' } });

const offsets = { min: 0, max: 1_000_000_000, default: 0 };

/** Longer than each `nextAfter`. */
export const maxCursorLength = 1_024;

export const paging = {
  limit: queryInteger({ min: 1, max: 100, default: 25 }).meta({
    description: 'The number of items to return.',
    param: { id: 'Limit' },
  }),
  offset: wholeNumber(offsets)
    .optional()
    .meta({
      ...openApiOf(offsets),
      description: 'The number of items to skip. Not together with after.',
      param: { id: 'Offset' },
    }),
  after: z
    .string()
    .min(1)
    .max(maxCursorLength)
    .optional()
    .meta({
      description:
        'The nextAfter of the page before, which continues the list there. Unlike offset, it neither repeats nor skips items when others are created or deleted meanwhile. Send the same filters; limit may differ.',
      param: { id: 'After' },
    }),
};

/** The place of an item in a list: the value that orders the list, then the item's id. */
export type Position = readonly [key: number, id: string | number];

/** The part of a list that a request wants. */
export interface PageRange {
  readonly limit: number;
  readonly offset: number;
  /** Starts after this position instead of at the offset, which is then 0. */
  readonly after?: Position | undefined;
}

export type ListFilter<Query> = Omit<Query, keyof PageRange> & PageRange;

export interface Page<Row> {
  /** The number of all rows of the list; undefined for a page that starts after a position. */
  readonly total: number | undefined;
  readonly items: readonly Row[];
  /** The position of the last row; undefined when no row follows it. */
  readonly next: Position | undefined;
}

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    total: z
      .int()
      .min(0)
      .describe(
        'The number of items on all pages. With after, the number when the first page was read.',
      ),
    limit: z.int().min(1),
    offset: z.int().min(0).describe('The number of items on the pages before.'),
    items: z.array(item),
    nextAfter: z.string().nullable().meta({
      description: 'Send it as after to get the next page. Null on the last page.',
      example: null,
    }),
  });
}

export const instant = z.string().meta({ format: 'date-time' });

export const uuidText = z.string().meta({ format: 'uuid' });
