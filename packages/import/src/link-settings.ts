import { parseBoolean, parseInteger, parseJson, parseTags } from './cell-values.js';
import type { Column, Setting } from './column.js';
import { unguardFormula } from './write-csv.js';

/** Cells of other shorteners that need more than another name, and what they become. */

type ReadSetting = (cell: string) => Setting;
type Conditions = Readonly<Record<string, unknown>>;

export const setting = (read: ReadSetting, order = 0): Column => ({ kind: 'setting', order, read });

/** Returns whether a cell such as `archived` or `disabledAt` is set. */
function isSet(cell: string): boolean {
  const parsed = parseBoolean(cell);
  return parsed.error !== undefined || parsed.value === true;
}

export const domain: Column = { kind: 'domain', order: 0, read: (host) => ({ host }) };

/** Whether the link was paused. */
export const paused: Column = {
  ...{ kind: 'paused', order: 0 },
  read: (cell) => ({ isPaused: isSet(cell) }),
};

/** Whether the link has a password that the file does not contain. */
export const locked: Column = {
  ...{ kind: 'password', order: 0 },
  read: (cell) => ({ isLocked: isSet(cell) }),
};

/** A setting that Shorty does not have, or that the import does not convert. */
export const lost = (reason: string): Column => ({
  ...{ kind: 'lost', order: 0, reason },
  read: (cell) => (isSet(cell) ? { notKept: [reason] } : {}),
});

export const shortUrl: Column = {
  ...{ kind: 'short URL', order: 0 },
  read: (cell) => ({ shortUrl: cell }),
};

export const customShortUrl: Column = {
  ...{ kind: 'short URL', order: 0 },
  read: (cell) => {
    // The custom short URLs of Bitly are a list, the newest last.
    const { value } = (cell.startsWith('[') ? parseTags(cell) : { value: [cell] }) as {
      readonly value: readonly string[];
    };
    const others = value.slice(0, -1);
    const notKept = others.map((url) => `a link has one short URL: not ${url}`);
    return { customShortUrl: value.at(-1), notKept };
  },
};

/** A target for visits that meet the conditions. */
export const targetFor = (when: Conditions, order: number): Column =>
  setting((cell) => toRules([{ when, url: unguardFormula(cell) }]), order);

/** Dub's `geo`: targets by country. Countries with the same target share a rule. */
export const readCountryTargets: ReadSetting = (cell) => {
  const targets = parseJson(unguardFormula(cell));
  if (typeof targets !== 'object' || targets === null || Array.isArray(targets)) {
    return { error: 'must be a JSON object of URLs by country code' };
  }
  const countries = new Map<unknown, string[]>();
  for (const [country, url] of Object.entries(targets)) {
    countries.set(url, [...(countries.get(url) ?? []), country]);
  }
  return toRules([...countries].map(([url, country]) => ({ when: { country }, url })));
};

/** Short.io's `skipQS`: the query of a visit is not added to the target. */
export const readSkippedQuery: ReadSetting = (cell) => {
  const { value, error } = parseBoolean(cell) as { value?: boolean; error?: string };
  return error === undefined ? { fields: { forwardQuery: !value } } : { error };
};

/** A status of the redirect. Shorty has fewer than other shorteners. */
export const readRedirectType: ReadSetting = (cell) => {
  const parsed = parseInteger(cell);
  if (parsed.error !== undefined) return { error: parsed.error };
  const redirectType = Number(parsed.value);
  if ([301, 302, 307, 308].includes(redirectType)) return { fields: { redirectType } };
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

function toRules(drafts: readonly { readonly when: Conditions; readonly url: unknown }[]): Setting {
  const isWebUrl = (url: unknown) => typeof url === 'string' && /^https?:\/\//i.test(url);
  const others = drafts.filter(({ url }) => !isWebUrl(url));
  return {
    rules: drafts
      .filter(({ url }) => isWebUrl(url))
      .map(({ when, url }) => ({ when, targetUrl: url })),
    notKept: others.map(({ url }) => `targets are http or https, not ${String(url).slice(0, 100)}`),
  };
}
