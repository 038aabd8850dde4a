import fc from 'fast-check';
import type { Schema } from './openapi-document.js';

/** Ids and codes that answers have shown, by what they name, so that requests can name what is there. */
export class SeenNames {
  readonly #names = new Map<string, string[]>();

  /** Keeps every id and code of what a path has answered. */
  harvest(path: string, value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [field, inner] of Object.entries(value)) {
      if (typeof inner !== 'string') this.harvest(path, inner);
      else if (field === 'shortCode') this.#add('', inner);
      else if (field === 'id') this.#add(collectionOf(path), inner);
    }
  }

  /** What a parameter or field of this name may be: `urlId` is one of the urls that were seen. */
  of(name: string, path: string): readonly string[] {
    const [before, after] = path.split(`{${name}}`);
    const kind = after === undefined ? name.replace(/Id$/, 's') : collectionOf(before ?? '');
    return this.#names.get(kind) ?? [];
  }

  #add(kind: string, name: string): void {
    const names = this.#names.get(kind) ?? [];
    if (!names.includes(name)) this.#names.set(kind, [...names, name]);
  }
}

/** The last word of a path that is no parameter: `webhooks` of `/api/v1/webhooks/{id}`. */
function collectionOf(path: string): string {
  const words = path.split('/').filter((segment) => segment !== '' && !segment.startsWith('{'));
  return words.at(-1) ?? '';
}

// Ports that refuse at once: no receiver or logo of these is looked for outside.
const address = fc
  .tuple(
    fc.constantFrom('http', 'https'),
    fc.constantFrom('127.0.0.1:65533', '[::1]:65533', '0x7f.1:65533', 'user@127.0.0.1:65533'),
    fc.webPath(),
    fc.constantFrom('', '?a=b&utm_source=x', '#part', '?%20'),
  )
  .map(([scheme, host, path, rest]) => `${scheme}://${host}${path}${rest}`);

const instant = fc
  .date({ min: new Date('1970-01-01'), max: new Date('9998-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString());

/** Anything that JSON can say, and what hostile callers like to. */
export const anything = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(
    ...['', '\u0000', '\ud800', 'javascript:alert(1)', '__proto__', 'a'.repeat(9000), ' 1', '１'],
    ...[1e308, -0, -1, 0.5, 2 ** 53, 301.5],
    ...[null, true, [], {}, [[[[]]]], { constructor: {} }],
  ),
);

export interface Knowledge {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly seen: SeenNames;
  /** Of the operation that the values are for. */
  readonly path: string;
  /** Values that fields of these names must have to get far: credentials, passwords. */
  readonly known: Readonly<Record<string, string>>;
}

/** Values that a schema allows. */
export class SchemaArbitraries {
  readonly #schemas: Readonly<Record<string, Schema>>;
  readonly #seen: SeenNames;
  readonly #path: string;
  readonly #known: Readonly<Record<string, string>>;

  constructor({ schemas, seen, path, known }: Knowledge) {
    this.#schemas = schemas;
    this.#seen = seen;
    this.#path = path;
    this.#known = known;
  }

  valueOf(schema: Schema): fc.Arbitrary<unknown> {
    if (schema.$ref) {
      return this.valueOf(this.#schemas[schema.$ref.split('/').at(-1) as string] as Schema);
    }
    if ('const' in schema) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return fc.oneof(...choices.map((each) => this.valueOf(each)));
    if (schema.allOf) {
      return fc
        .tuple(...schema.allOf.map((each) => this.valueOf(each)))
        .map((parts): unknown => Object.assign({}, ...(parts as object[])));
    }
    const types = [schema.type ?? []].flat();
    return types.length === 0
      ? anything
      : fc.oneof(...types.map((type) => this.#ofType(type, schema)));
  }

  #ofType(type: string, schema: Schema): fc.Arbitrary<unknown> {
    switch (type) {
      case 'string':
        return this.#text(schema);
      case 'integer':
      case 'number': {
        const { minimum: min = -(2 ** 31), maximum: max = 2 ** 31 } = schema;
        const any = fc.maxSafeInteger().map((value) => Math.min(max, Math.max(min, value)));
        return fc.oneof(fc.constantFrom(min, max), any);
      }
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'array': {
        const { items = {}, minItems = 0, maxItems = 1000 } = schema;
        return fc.array(this.valueOf(items), {
          minLength: minItems,
          maxLength: Math.min(maxItems, minItems + 4),
        });
      }
      case 'object':
        return this.#object(schema);
      default:
        throw new Error(`no values are known of the type ${type}`);
    }
  }

  #text({ format, pattern, minLength = 0, maxLength = 60 }: Schema): fc.Arbitrary<unknown> {
    if (format === 'uuid') return fc.uuid();
    if (format === 'date-time') return instant;
    if (format === 'uri') return address;
    if (format === 'hostname' || format === 'idn-hostname') return fc.domain();
    if (pattern !== undefined && !/\(\?[=!<]/.test(pattern)) {
      const form = new RegExp(pattern);
      return fc
        .stringMatching(form)
        .filter(({ length }) => length >= minLength && length <= maxLength);
    }
    const max = Math.min(maxLength, Math.max(minLength, 60));
    return fc.oneof(
      fc.string({ minLength, maxLength: max }),
      fc.string({ unit: 'grapheme', minLength, maxLength: Math.ceil((minLength + max) / 2) }),
      ...(maxLength <= 10_000 ? [fc.constant('a'.repeat(maxLength))] : []),
    );
  }

  #object({ properties = {}, required = [], additionalProperties, propertyNames }: Schema) {
    const all = fc.record(
      Object.fromEntries(
        Object.entries(properties).map(([name, schema]) => [name, this.named(name, schema)]),
      ),
    );
    // Few of the optional fields at a time: each has rules of its own to break.
    const optional = Object.keys(properties).filter((name) => !required.includes(name));
    const fields = fc
      .tuple(all, fc.subarray(optional, { maxLength: Math.min(4, optional.length) }))
      .map(([values, chosen]) =>
        Object.fromEntries(
          Object.entries(values).filter(
            ([name]) => required.includes(name) || chosen.includes(name),
          ),
        ),
      );
    if (typeof additionalProperties !== 'object') return fields;
    const names = this.valueOf(propertyNames ?? { type: 'string' }) as fc.Arbitrary<string>;
    const others = fc.dictionary(names, this.valueOf(additionalProperties), { maxKeys: 3 });
    return fc.tuple(others, fields).map(([other, known]): unknown => ({ ...other, ...known }));
  }

  /** A value for a field or parameter: now and then what is known to be there, or its example. */
  named(name: string, schema: Schema): fc.Arbitrary<unknown> {
    const others = this.valueOf(schema);
    const known = this.#known[name];
    const good = known ?? schema.example;
    const usual = good === undefined ? others : fc.constant(good);
    const seen = fc.tuple(fc.nat(), usual).map(([at, other]) => {
      const names = this.#seen.of(name, this.#path);
      return names.length === 0 ? other : names[at % names.length];
    });
    return fc.oneof(
      { weight: 1, arbitrary: others },
      { weight: 3, arbitrary: /id$|^code$/i.test(name) && known === undefined ? seen : usual },
    );
  }
}

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** A value in which one thing is not as it was: replaced, left out, or added. */
export function spoiled(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(
      values,
      fc.nat(),
      fc.constantFrom('replace', 'extend', 'drop', 'add'),
      anything,
      fc.string(),
    )
    .map(([value, at, how, other, name]) => {
      const root = { value: structuredClone(value) } as Record<string, unknown>;
      const places = placesIn(root);
      const { holder, key } = places[at % places.length] as Place;
      if (how === 'replace') holder[key] = other;
      else if (how === 'drop') delete holder[key];
      // One beyond a limit, often: limits are among the values.
      else if (how === 'extend' && typeof holder[key] === 'string') holder[key] += 'a';
      else if (how === 'extend' && typeof holder[key] === 'number') (holder[key] as number) += 1;
      else {
        const inner = holder[key];
        const target = typeof inner === 'object' && inner !== null ? inner : holder;
        // Unlike Object.defineProperty, it does not throw for the length of an array.
        Reflect.defineProperty(target, name, {
          value: other,
          enumerable: true,
          configurable: true,
          writable: true,
        });
      }
      return root.value;
    });
}

function placesIn(holder: Record<string, unknown>): Place[] {
  return Object.entries(holder).flatMap(([key, inner]) => [
    { holder, key },
    ...(typeof inner === 'object' && inner !== null
      ? placesIn(inner as Record<string, unknown>)
      : []),
  ]);
}
