/** A record whose times, the fields `…At` and `…Since`, are ISO strings as in the API. */
export type WithIsoTimes<Fields> = {
  [Name in keyof Fields]: Name extends `${string}At` | `${string}Since`
    ? Exclude<Fields[Name], number> | string
    : Fields[Name];
};

/** Returns a record for the API. Storage has times in milliseconds, the API has ISO strings. */
export function withIsoTimes<Fields extends object>(fields: Fields): WithIsoTimes<Fields> {
  const entries = Object.entries(fields).map(([name, value]) => {
    const isTime = /(?:At|Since)$/.test(name) && typeof value === 'number';
    return [name, isTime ? new Date(value).toISOString() : value];
  });
  return Object.fromEntries(entries);
}
