import {
  type CellValue,
  isObject,
  type JsonObject,
  parseBoolean,
  parseInteger,
  parseJson,
} from './cell-values.js';
import type { Column, ReadSetting, Setting } from './column.js';
import { parseInstant } from './instant-cell.js';
import { unguardFormula } from './write-csv.js';

/** Cells of other shorteners that need more than another name, and what they become. */

interface RuleDraft {
  readonly when: JsonObject;
  readonly url: unknown;
}

/** A column whose cells say something of the link. */
export const column = (
  kind: Extract<Column, { readonly read: ReadSetting }>['kind'],
  read: ReadSetting,
  order = 0,
): Column => ({ kind, order, read });

export const setting = (read: ReadSetting, order = 0) => column('setting', read, order);

/** Returns whether a cell such as `archived` or `disabledAt` is set. */
export function isSet(cell: string): boolean {
  const parsed = parseBoolean(cell);
  return parsed.error !== undefined || parsed.value === true;
}

/** A target for visits that meet the conditions. */
export const targetFor = (when: JsonObject, order: number): Column =>
  setting((cell) => toRules([{ when, url: unguardFormula(cell) }]), order);

/** Dub's `geo`: targets by country. Countries with the same target share a rule. */
export const readCountryTargets: ReadSetting = (cell) => {
  const targets = parseJson(unguardFormula(cell));
  if (!isObject(targets)) return { error: 'must be a JSON object of URLs by country code' };
  const countries = new Map<unknown, string[]>();
  for (const [country, url] of Object.entries(targets)) {
    countries.set(url, [...(countries.get(url) ?? []), country]);
  }
  return toRules([...countries].map(([url, country]) => ({ when: { country }, url })));
};

/** Dub's `testVariants`. The test ends at `testCompletedAt`; the target of the link has won then. */
export const readTestVariants: ReadSetting = (cell, { cells, now }) => {
  const list = parseJson(unguardFormula(cell));
  if (!Array.isArray(list) || !list.every(isObject)) {
    return { error: 'must be a JSON list of objects with url and percentage' };
  }
  if (list.length === 0) return {};
  const end = cells.get('testcompletedat');
  const { value: before, error }: CellValue = end === undefined ? {} : parseInstant(end);
  if (error !== undefined) return { error: `testCompletedAt ${error}` };
  if (before !== undefined && Date.parse(String(before)) <= now) {
    return { notKept: [`the test ended on ${before}`] };
  }
  const foreign = list.find(({ url }) => !isWebUrl(url));
  if (foreign) return { notKept: [describeForeign(foreign.url)] };
  const variants = list.map(({ url, percentage }) => ({ targetUrl: url, weight: percentage }));
  return { rules: [{ when: before === undefined ? {} : { before }, variants }] };
};

/** Short.io's `splitURL`, which gets `splitPercent` of the visitors. */
export const readSplit: ReadSetting = (cell, { cells }) => {
  const url = unguardFormula(cell);
  const targetUrl = ['originalurl', 'longurl', 'destinationurl', 'url']
    .map((name) => cells.get(name))
    .find((each) => each !== undefined);
  const percent = Number(cells.get('splitpercent') ?? 50);
  if (!Number.isInteger(percent) || percent < 0 || percent > 100) {
    return { error: 'must have a splitPercent from 0 to 100' };
  }
  if (!isWebUrl(url)) return { notKept: [describeForeign(url)] };
  if (targetUrl === undefined) return {};
  const variants = [
    { targetUrl, weight: 100 - percent },
    { targetUrl: url, weight: percent },
  ];
  return { rules: [{ when: {}, variants }] };
};

/** When the link was made. A link whose time cannot be read is imported without it. */
export const readCreation: ReadSetting = (cell, { options }) => {
  const { value, error } = parseInstant(cell, options);
  return error === undefined ? { fields: { importedCreatedAt: value } } : { notKept: [error] };
};

/** Short.io's `skipQS`: the query of a visit is not added to the target. */
export const readSkippedQuery: ReadSetting = (cell) => {
  const { value, error } = parseBoolean(cell);
  return error === undefined ? { fields: { forwardQuery: !value } } : { error };
};

/** A status of the redirect. Shorty has fewer than other shorteners. */
export const readRedirectType: ReadSetting = (cell) => {
  const { value: redirectType, error } = parseInteger(cell);
  if (error !== undefined) return { error };
  if ([301, 302, 307, 308].includes(Number(redirectType))) return { fields: { redirectType } };
  return { notKept: [`Shorty has no redirect with the status ${redirectType}`] };
};

/** A password, or what stands for one that the file does not contain: `true`, a hash or asterisks. */
export const readPassword: ReadSetting = (cell) => {
  const text = unguardFormula(cell);
  if (/^(?:no|false)$/i.test(text)) return {};
  if (/^(?:yes|true|\*+)$|^\$(?:2[abxy]?|argon2(?:id|i|d)|scrypt|pbkdf2)[$-]/i.test(text)) {
    return { isLocked: true };
  }
  return { fields: { password: text, isPasswordProtected: true } };
};

/** Dub's `proxy`: the link has a preview of its own. */
export const readPreview: ReadSetting = (cell, { cells }) => {
  if (!isSet(cell)) return {};
  const title = cells.get('title');
  if (title === undefined) return { notKept: ['a link preview without a title'] };
  const preview: Record<string, unknown> = { title };
  const notKept: string[] = [];
  const description = cells.get('description');
  if (description !== undefined) preview.description = description;
  const image = cells.get('image');
  if (isWebUrl(image)) preview.imageUrl = image;
  else if (image !== undefined) notKept.push('the image of the link preview is not at a URL');
  if (cells.has('video')) notKept.push('link previews have no video');
  return { fields: { preview }, notKept };
};

const deviceConditions: Readonly<Record<string, JsonObject>> = {
  android: { os: 'Android' },
  ios: { os: 'iOS' },
  windows: { os: 'Windows' },
  macos: { os: 'macOS' },
  linux: { os: 'Linux' },
  chromeos: { os: 'ChromeOS' },
  mobile: { device: ['mobile', 'tablet'] },
  desktop: { device: 'desktop' },
};

/** Shlink's `deviceLongUrls`, until version 3. */
export const readDeviceUrls: ReadSetting = (cell) => {
  const urls = parseJson(unguardFormula(cell));
  if (!isObject(urls)) return { error: 'must be a JSON object of URLs by device' };
  const notKept: string[] = [];
  const drafts: RuleDraft[] = [];
  for (const [device, url] of Object.entries(urls)) {
    if (url === null || url === '') continue;
    const when = find(deviceConditions, device);
    if (when) drafts.push({ when, url });
    else notKept.push(`Shorty has no device ${device}`);
  }
  return toRules(drafts, notKept);
};

/** Shlink's `hasRedirectRules`. A list of links does not contain the rules. */
export const readHasRules: ReadSetting = (cell, { cells }) => {
  const rules = rulesIn(parseJson(cells.get('redirectrules') ?? '[]'));
  if (!isSet(cell) || (rules !== undefined && rules.length > 0)) return {};
  return {
    error:
      'is true, but the row has no redirectRules: add those of GET /rest/v3/short-urls/{shortCode}/redirect-rules, or import the link without rules with --ignore-columns=hasRedirectRules',
  };
};

/** Shlink's redirect rules, as its API returns them. */
export const readRedirectRules: ReadSetting = (cell) => {
  const list = rulesIn(parseJson(unguardFormula(cell)));
  if (list === undefined) return { error: 'must be a JSON list of redirect rules' };
  const priority = (rule: JsonObject) => Number(rule.priority ?? 0);
  const notKept: string[] = [];
  const drafts: RuleDraft[] = [];
  for (const [index, rule] of list.toSorted((a, b) => priority(a) - priority(b)).entries()) {
    const when = mergeConditions(Array.isArray(rule.conditions) ? rule.conditions : []);
    if (typeof when === 'string') notKept.push(`rule ${index + 1}: ${when}`);
    else drafts.push({ when, url: rule.longUrl });
  }
  return toRules(drafts, notKept);
};

function rulesIn(json: unknown): readonly JsonObject[] | undefined {
  const list = isObject(json) ? json.redirectRules : json;
  return Array.isArray(list) && list.every(isObject) ? list : undefined;
}

/** The condition of Shorty for each type of Shlink. */
const conditionTypes: Readonly<
  Record<string, (value: string, key: string) => JsonObject | undefined>
> = {
  device: (value) => find(deviceConditions, value.toLowerCase()),
  language: (value) => ({ language: value.replaceAll('_', '-') }),
  'query-param': (value, key) => ({ query: { [key]: value } }),
  'any-value-query-param': (value, key) => ({ query: { [key || value]: true } }),
  'valueless-query-param': (value, key) => ({ query: { [key || value]: '' } }),
  'geolocation-country-code': (country) => ({ country }),
};

/** Returns the conditions of a rule, all of which must hold, or why Shorty does not have them. */
function mergeConditions(conditions: readonly unknown[]): JsonObject | string {
  const when: Record<string, unknown> = {};
  for (const condition of conditions) {
    const { type, matchValue, matchKey } = isObject(condition) ? condition : {};
    const toCondition = find(conditionTypes, String(type));
    const added = toCondition?.(String(matchValue ?? ''), String(matchKey ?? ''));
    if (!added) return `Shorty has no condition ${type}${toCondition ? ` ${matchValue}` : ''}`;
    for (const [name, value] of Object.entries(added)) {
      const before = when[name];
      if (before === undefined) when[name] = value;
      else if (isObject(before) && isObject(value) && !sharesKeys(before, value)) {
        when[name] = { ...before, ...value };
      } else if (JSON.stringify(before) !== JSON.stringify(value)) {
        return `Shorty has one condition ${name} in a rule`;
      }
    }
  }
  return when;
}

function toRules(drafts: readonly RuleDraft[], notKept: readonly string[] = []): Setting {
  return {
    rules: drafts
      .filter(({ url }) => isWebUrl(url))
      .map(({ when, url }) => ({ when, targetUrl: url })),
    notKept: [
      ...notKept,
      ...drafts.filter(({ url }) => !isWebUrl(url)).map(({ url }) => describeForeign(url)),
    ],
  };
}

function describeForeign(url: unknown): string {
  return `targets are http or https, not ${String(url).slice(0, 100)}`;
}

function isWebUrl(url: unknown): url is string {
  return typeof url === 'string' && /^https?:\/\//i.test(url);
}

function sharesKeys(a: JsonObject, b: JsonObject): boolean {
  return Object.keys(b).some((key) => Object.hasOwn(a, key));
}

function find<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
