import {
  isObject,
  type JsonObject,
  type ParseCell,
  parseBoolean,
  parseInteger,
  parseJson,
  parseTags,
  parseText,
  parseWebUrl,
} from './cell-values.js';
import type { Column, ReadSetting, Setting } from './column.js';
import { parseEndInstant, parseInstant } from './instant-cell.js';
import { unguardFormula } from './write-csv.js';

/** Another link shortener, and the columns of its exports. */
export interface LinkSource {
  /** The command: `shorty import bitly`. */
  readonly name: string;
  readonly title: string;
  /**
   * The use of each column, by its name in lower case without `_`, `-`, `.` and spaces. The fields of
   * JSON exports are columns, too: `meta.validUntil`.
   */
  readonly columns: Readonly<Record<string, Column>>;
  /** Whether the export is a table of MySQL: NULL is an empty cell, and TSV has no quotes but escapes. */
  readonly isMysqlTable?: boolean;
}

/** A column whose cells say something of the link. */
const column = (
  kind: Extract<Column, { readonly read: ReadSetting }>['kind'],
  read: ReadSetting,
  order = 0,
): Column => ({ kind, order, read });

const setting = (read: ReadSetting, order = 0) => column('setting', read, order);

/** Returns whether a cell such as `archived` or `disabledAt` is set; for JSON, whether a value in it is. */
function isSet(cell: string): boolean {
  const json = parseJson(cell);
  if (typeof json === 'object') return Object.values(json ?? {}).some((value) => value !== null);
  const parsed = parseBoolean(cell);
  return parsed.error !== undefined || parsed.value === true;
}

/** A target for visits that meet the conditions. */
const targetFor = (when: JsonObject, order: number): Column =>
  setting((cell) => toRules([{ when, targetUrl: unguardFormula(cell) }]), order);

/** Dub's `geo`: targets by country. Countries with the same target share a rule. */
const readCountryTargets: ReadSetting = (cell) => {
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
const readCreation: ReadSetting = (cell, options) => {
  const { value, error } = parseInstant(cell, options);
  return error === undefined ? { fields: { importedCreatedAt: value } } : { notKept: [error] };
};

/** Short.io's `skipQS`: the query of a visit is not added to the target. */
const readSkippedQuery: ReadSetting = (cell) => {
  const { value, error } = parseBoolean(cell);
  return error === undefined ? { fields: { forwardQuery: !value } } : { error };
};

/** A status of the redirect. Shorty has fewer than other shorteners. */
const readRedirectType: ReadSetting = (cell) => {
  const { value: redirectType, error } = parseInteger(cell);
  if (error !== undefined) return { error };
  if ([301, 302, 307, 308].includes(Number(redirectType))) return { fields: { redirectType } };
  return { notKept: [`Shorty has no redirect with the status ${redirectType}`] };
};

/** A password, or what stands for one that the file does not contain: `true`, a hash or asterisks. */
const readPassword: ReadSetting = (cell) => {
  const text = unguardFormula(cell);
  if (/^(?:no|false)$/i.test(text)) return {};
  if (/^(?:yes|true|\*+)$|^\$(?:2[abxy]?|argon2(?:id|i|d)|scrypt|pbkdf2)[$-]/i.test(text)) {
    return { isLocked: true };
  }
  return { fields: { password: text, isPasswordProtected: true } };
};

const domain = column('domain', (host) => ({ host }));
/** Whether the link was paused. */
const paused = column('paused', (cell) => ({ isPaused: isSet(cell) }));
/** Whether the link has a password that the file does not contain. */
const locked = column('password', (cell) => ({ isLocked: isSet(cell) }));

/** A setting that Shorty does not have, or that the import does not convert. */
const lost = (reason: string): Column => ({
  ...{ kind: 'lost', order: 0, reason },
  read: (cell) => (isSet(cell) ? { notKept: [reason] } : {}),
});
const shortUrl = column('short URL', (cell) => ({ shortUrl: cell }));
const customShortUrl = column('short URL', (cell) => {
  // The custom short URLs of Bitly are a list, the newest last.
  const urls = (cell.startsWith('[') ? parseTags(cell).value : [cell]) as readonly string[];
  const notKept = urls.slice(0, -1).map((url) => `a link has one short URL: not ${url}`);
  return { customShortUrl: urls.at(-1), notKept };
});

const field = (name: string, parse = parseText): Column => ({ kind: 'field', name, parse });
/** An id, a date, a total or another column that sets nothing. */
const unused: Column = { kind: 'ignored' };

const target = field('targetUrl', parseWebUrl);
const slug = field('importedCode');
const title = field('title');
const description = field('description');
const clicks = field('importedClicks', parseCount);
const start = field('activatesAt', parseInstant);
const expiry = field('expiresAt', parseEndInstant);
const expiredUrl = field('expiredUrl', parseWebUrl);
const limit = field('maxClicks', parseCount);
const forwardQuery = field('forwardQuery', parseBoolean);
const creation = setting(readCreation);
const tags = field('tags', parseTags);

const noRules = lost('not imported: set rules with shorty urls rules set');
const none = lost('Shorty has no such setting');
const noCloaking = lost('Shorty redirects, and does not show the target at the short URL');

const times = {
  created: creation,
  createdat: creation,
  createddate: creation,
  createdon: creation,
  datecreated: creation,
  updatedat: unused,
  lastclicked: unused,
};

/** The services of `shorty import`, by the name of the command. */
export const linkSources = {
  bitly: {
    name: 'bitly',
    title: 'Bitly',
    columns: {
      ...{ link: shortUrl, bitlink: shortUrl, shortlink: shortUrl, shorturl: shortUrl },
      ...{ customlink: customShortUrl, custombitlink: customShortUrl },
      ...{ custombitlinks: customShortUrl },
      ...{ longurl: target, longlink: target, destinationurl: target, destination: target },
      ...{ title, tags, archived: paused, isdeleted: paused },
      ...{ clicks, totalclicks: clicks, linkclicks: clicks },
      ...{ engagements: clicks, totalengagements: clicks },
      ...{ scans: unused, qrscans: unused, qrcodescans: unused },
      ...{ id: unused, guid: unused, groupguid: unused, group: unused, references: unused },
      ...{ clientid: unused, createdby: unused, creator: unused },
      ...{ campaign: none, campaigns: none, campaignids: none, channel: none, launchpadids: none },
      qrcodeids: lost('QR codes are not imported'),
      deeplinks: lost('apps are named for a domain, not for a link'),
      ...times,
    },
  },
  dub: {
    name: 'dub',
    title: 'Dub',
    columns: {
      ...{ shortlink: shortUrl, link: shortUrl, domain, key: slug },
      ...{ destinationurl: target, url: target },
      ...{ title, comments: description, tags, clicks, externalid: field('externalId') },
      ...{ archived: paused, disabledat: paused, expiresat: expiry, expiredurl: expiredUrl },
      password: setting(readPassword),
      // Dub applies them in this order.
      ios: targetFor({ os: 'iOS' }, 1),
      android: targetFor({ os: 'Android' }, 2),
      geo: setting(readCountryTargets, 3),
      ...{ testvariants: noRules, testcompletedat: unused },
      // Without `proxy`, the others are of the target.
      proxy: lost('not imported: set a preview with shorty urls update'),
      ...{ description: unused, image: unused, video: unused },
      ...{ rewrite: noCloaking, publicstats: field('publicStats', parseBoolean) },
      ...{ doindex: none, folderid: none, trackconversion: none, leads: none, conversions: none },
      ...{ sales: none, saleamount: none, tenantid: none, programid: none, partnerid: none },
      partnergroupdefaultlinkid: none,
      webhookids: lost('webhooks of Shorty receive the events of all links'),
      ...{ id: unused, linkid: unused, userid: unused, workspaceid: unused, projectid: unused },
      ...{ tagid: unused, qrcode: unused, identifier: unused, teststartedat: unused },
      ...{ lastleadat: unused, lastconversionat: unused, ...times },
    },
  },
  kutt: {
    name: 'kutt',
    title: 'Kutt',
    columns: {
      ...{ link: shortUrl, domain, address: slug, target, description },
      ...{ visitcount: clicks, expirein: expiry, banned: paused, password: locked },
      ...{ id: unused, uuid: unused, userid: unused, domainid: unused, ...times },
    },
  },
  yourls: {
    name: 'yourls',
    title: 'YOURLS',
    columns: {
      ...{ keyword: slug, url: target, title, clicks, shorturl: shortUrl },
      ...{ timestamp: creation, ip: unused },
    },
    isMysqlTable: true,
  },
  shlink: {
    name: 'shlink',
    title: 'Shlink',
    columns: {
      ...{ shorturl: shortUrl, domain, shortcode: slug, longurl: target, originalurl: target },
      ...{ title, tags, forwardquery: forwardQuery },
      ...{ metavalidsince: start, validsince: start },
      ...{ metavaliduntil: expiry, validuntil: expiry },
      ...{ metamaxvisits: limit, maxvisits: limit },
      ...{ visits: clicks, visitscount: clicks, visitssummarytotal: clicks },
      ...{ visitssummarynonbots: unused, visitssummarybots: unused },
      ...{ devicelongurls: noRules, hasredirectrules: noRules, redirectrules: noRules },
      ...{ crawlable: none, ...times },
    },
  },
  shortio: {
    name: 'shortio',
    title: 'Short.io',
    columns: {
      ...{ shorturl: shortUrl, secureshorturl: shortUrl, shortlink: shortUrl, link: shortUrl },
      ...{ domain, hostname: domain, path: slug, slug },
      ...{ originalurl: target, longurl: target, destinationurl: target, url: target },
      ...{ title, tags, archived: paused, password: locked, haspassword: locked },
      ...{ expiresat: expiry, ttl: expiry, expiredurl: expiredUrl },
      ...{ clicks, totalclicks: clicks, humanclicks: clicks, clickslimit: limit },
      ...{ redirecttype: setting(readRedirectType), skipqs: setting(readSkippedQuery) },
      iphoneurl: targetFor({ os: 'iOS' }, 1),
      androidurl: targetFor({ os: 'Android' }, 1),
      ...{ spliturl: noRules, splitpercent: unused },
      ...{ cloaking: noCloaking, folderid: none, folder: none },
      passwordcontact: lost('visitors cannot ask for the password'),
      ...{ integrationadroll: none, integrationfb: none, integrationga: none },
      ...{ integrationgtm: none, integrationtt: none },
      ...{ id: unused, idstring: unused, linkid: unused, domainid: unused, ownerid: unused },
      ...{ source: unused, icon: unused, hashtag: unused, duplicate: unused, lcpath: unused },
      ...{ user: unused, userid: unused, ...times },
    },
  },
  tinyurl: {
    name: 'tinyurl',
    title: 'TinyURL',
    columns: {
      ...{ tinyurl: shortUrl, shorturl: shortUrl, domain, alias: slug },
      ...{ url: target, longurl: target, destinationurl: target, title, description },
      ...{ tags, archived: paused, deleted: paused, expiresat: expiry },
      ...{ hits: clicks, clicks, totalclicks: clicks },
      ...{ analytics: unused, user: unused, id: unused, ...times },
    },
  },
} satisfies Readonly<Record<string, LinkSource>>;

export type LinkSourceName = keyof typeof linkSources;

/** Returns the names of the columns that lead to the target in any export. */
export function targetColumns(): string[] {
  return Object.values<LinkSource>(linkSources).flatMap(({ columns }) =>
    Object.keys(columns).filter((name) => columns[name] === target),
  );
}

/** Returns the service whose exports have all these columns, and a column of short URLs. */
export function findLinkSource(titles: readonly string[]): LinkSourceName | undefined {
  const names = titles.map(sourceColumnName);
  const hasKnownColumns = ([, { columns }]: [string, LinkSource]) =>
    names.every((name) => Object.hasOwn(columns, name)) &&
    names.some((name) => columns[name] === target) &&
    (names.some((name) => columns[name]?.kind === 'short URL') ||
      // The table of YOURLS has codes instead.
      ['keyword', 'timestamp'].every((name) => names.includes(name)));
  return Object.entries<LinkSource>(linkSources).find(hasKnownColumns)?.[0] as
    | LinkSourceName
    | undefined;
}

export function sourceColumnName(title: string): string {
  return title.toLowerCase().replaceAll(/[_\-.\s]/g, '');
}

/** Parses a count such as `1204`, `1,204` or `1 204`. */
function parseCount(cell: string): ReturnType<ParseCell> {
  return parseInteger(cell.replaceAll(/(?<=\d)[,\s](?=\d{3}\b)/g, ''));
}
