import { isObject, type JsonObject, parseBoolean, parseInteger, parseJson } from './cell-values.js';
import type { Column, ReadSetting, Setting } from './column.js';
import { parseInstant } from './instant-cell.js';
import { unguardFormula } from './write-csv.js';

/** Cells of other shorteners that need more than another name, and what they become. */

/** A column whose cells say something of the link. */
export const column = (
  kind: Extract<Column, { readonly read: ReadSetting }>['kind'],
  read: ReadSetting,
  order = 0,
): Column => ({ kind, order, read });

export const setting = (read: ReadSetting, order = 0) => column('setting', read, order);

/** Returns whether a cell such as `archived` or `disabledAt` is set; for JSON, whether a value in it is. */
export function isSet(cell: string): boolean {
  const json = parseJson(cell);
  if (typeof json === 'object') return Object.values(json ?? {}).some((value) => value !== null);
  const parsed = parseBoolean(cell);
  return parsed.error !== undefined || parsed.value === true;
}

/** A target for visits that meet the conditions. */
export const targetFor = (when: JsonObject, order: number): Column =>
  setting((cell) => toRules([{ when, targetUrl: unguardFormula(cell) }]), order);

/** Dub's `geo`: targets by country. Countries with the same target share a rule. */
export const readCountryTargets: ReadSetting = (cell) => {
  const targets = parseJson(unguardFormula(cell));
  if (!isObject(targets)) return { error: 'must be a JSON object of URLs by country code' };
  const countries = new Map<unknown, string[]>();
  for (const [country, url] of Object.entries(targets)) {
    countries.set(url, [...(countries.get(url) ?? []), country]);
  }
  return toRules([...countries].map(([targetUrl, country]) => ({ when: { country }, targetUrl })));
};

interface RuleDraft {
  readonly when: JsonObject;
  readonly targetUrl: unknown;
}

function toRules(drafts: readonly RuleDraft[]): Setting {
  const isWeb = ({ targetUrl }: RuleDraft) =>
    typeof targetUrl === 'string' && /^https?:\/\//i.test(targetUrl);
  return {
    rules: drafts.filter(isWeb),
    notKept: drafts
      .filter((draft) => !isWeb(draft))
      .map(({ targetUrl }) => `targets are http or https, not ${String(targetUrl).slice(0, 100)}`),
  };
}

/** When the link was made. A link whose time cannot be read is imported without it. */
export const readCreation: ReadSetting = (cell, options) => {
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
