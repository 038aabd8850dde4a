import {
  type ParseCell,
  parseBoolean,
  parseInteger,
  parseTags,
  parseText,
  quoteCell,
  unguardFormula,
} from './cell-values.js';
import type { Column } from './column.js';

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
  /** The cell that means an empty cell. */
  readonly nullCell?: string;
}

const field = (name: string, parse: ParseCell = parseText): Column => ({
  kind: 'field',
  name,
  parse,
});
const shortUrl: Column = { kind: 'shortUrl', isCustom: false };
const customShortUrl: Column = { kind: 'shortUrl', isCustom: true };
const domain: Column = { kind: 'domain' };
const paused: Column = { kind: 'paused' };
const locked: Column = { kind: 'locked' };
/** A column whose content has no effect on visitors. */
const unused: Column = { kind: 'ignored' };
/** A setting that Shorty does not have. */
const unsupported: Column = { kind: 'unsupported' };

const target = field('targetUrl');
const slug = field('customSlug');
const title = field('title');
const description = field('description');
const clicks = field('importedClicks', parseCount);
const expiry = field('expiresAt', parseInstant);
const tags = (separator: RegExp) => field('tags', tagParser(separator));

const times = {
  created: unused,
  createdat: unused,
  createddate: unused,
  createdon: unused,
  datecreated: unused,
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
      ...{ title, tags: tags(/,/), archived: paused, isdeleted: paused },
      ...{ clicks, totalclicks: clicks, linkclicks: clicks },
      ...{ engagements: clicks, totalengagements: clicks },
      ...{ scans: unused, qrscans: unused, qrcodescans: unused },
      ...{ id: unused, guid: unused, groupguid: unused, group: unused, references: unused },
      ...{ clientid: unused, createdby: unused, creator: unused, launchpadids: unused },
      ...{ campaign: unused, campaigns: unused, campaignids: unused, channel: unused },
      ...{ qrcodeids: unused, deeplinks: unsupported, ...times },
    },
  },
  dub: {
    name: 'dub',
    title: 'Dub',
    columns: {
      ...{ shortlink: shortUrl, link: shortUrl, domain, key: slug },
      ...{ destinationurl: target, url: target },
      ...{ title, comments: description, tags: tags(/,/), clicks },
      ...{ archived: paused, disabledat: paused, expiresat: expiry },
      ...{ password: field('password') },
      ...{ expiredurl: unsupported, ios: unsupported, android: unsupported, geo: unsupported },
      ...{ rewrite: unsupported, proxy: unsupported, testvariants: unsupported },
      ...{ description: unused, image: unused, video: unused, doindex: unused },
      ...{ leads: unused, conversions: unused, sales: unused, saleamount: unused },
      ...{ id: unused, linkid: unused, externalid: unused, tenantid: unused, programid: unused },
      ...{ partnerid: unused, userid: unused, workspaceid: unused, projectid: unused },
      ...{ tagid: unused, folderid: unused, webhookids: unused, qrcode: unused },
      ...{ trackconversion: unused, publicstats: unused, identifier: unused },
      ...{ teststartedat: unused, testcompletedat: unused, lastleadat: unused },
      ...{ lastconversionat: unused, partnergroupdefaultlinkid: unused, ...times },
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
      ...{ timestamp: unused, ip: unused },
    },
    // mysql --batch and phpMyAdmin.
    nullCell: 'NULL',
  },
  shlink: {
    name: 'shlink',
    title: 'Shlink',
    columns: {
      ...{ shorturl: shortUrl, domain, shortcode: slug, longurl: target, originalurl: target },
      ...{ title, tags: tags(/[|,]/), metavaliduntil: expiry, validuntil: expiry },
      ...{ visits: clicks, visitscount: clicks, visitssummarytotal: clicks },
      ...{ visitssummarynonbots: unused, visitssummarybots: unused },
      ...{ metamaxvisits: unsupported, maxvisits: unsupported, hasredirectrules: unsupported },
      ...{ metavalidsince: unsupported, validsince: unsupported, devicelongurls: unsupported },
      ...{ crawlable: unused, forwardquery: unused, ...times },
    },
  },
  shortio: {
    name: 'shortio',
    title: 'Short.io',
    columns: {
      ...{ shorturl: shortUrl, secureshorturl: shortUrl, shortlink: shortUrl, link: shortUrl },
      ...{ domain, hostname: domain, path: slug, slug },
      ...{ originalurl: target, longurl: target, destinationurl: target, url: target },
      ...{ title, tags: tags(/,/), archived: paused, expiresat: expiry, password: locked },
      ...{ clicks, totalclicks: clicks, humanclicks: clicks },
      redirecttype: field('redirectType', parseInteger),
      ...{ expiredurl: unsupported, clickslimit: unsupported, cloaking: unsupported },
      ...{ androidurl: unsupported, iphoneurl: unsupported, splituurl: unsupported },
      ...{ spliturl: unsupported, splitpercent: unsupported },
      ...{ id: unused, idstring: unused, linkid: unused, domainid: unused, ownerid: unused },
      ...{ folderid: unused, folder: unused, source: unused, icon: unused, hashtag: unused },
      ...{ user: unused, userid: unused, passwordcontact: unused, skipqs: unused },
      ...{ integrationadroll: unused, integrationfb: unused, integrationga: unused },
      ...{ integrationgtm: unused, haspassword: locked, ...times },
    },
  },
  tinyurl: {
    name: 'tinyurl',
    title: 'TinyURL',
    columns: {
      ...{ tinyurl: shortUrl, shorturl: shortUrl, domain, alias: slug },
      ...{ url: target, longurl: target, destinationurl: target, title, description },
      ...{ tags: tags(/,/), archived: paused, deleted: paused, expiresat: expiry },
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
    names.some((name) => columns[name]?.kind === 'shortUrl');
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

/** Parses a time in ISO 8601 or in seconds or milliseconds since 1970. A time without a zone is in UTC. */
function parseInstant(cell: string): ReturnType<ParseCell> {
  const isNumber = /^\d{10}(\d{3})?$/.test(cell);
  const isZoned = /(Z|[+-]\d\d:?\d\d)$/i.test(cell);
  const isDate = /^\d{4}-\d\d-\d\d$/.test(cell);
  const time = isNumber
    ? Number(cell.padEnd(13, '0'))
    : Date.parse(isZoned || isDate ? cell : `${cell.replace(' ', 'T')}Z`);
  if (!/^\d{4}-\d\d-\d\d|^\d+$/.test(cell) || Number.isNaN(time)) {
    return { error: `must be a time such as 2030-12-31T23:59:59Z, not ${quoteCell(cell)}` };
  }
  return { value: new Date(time).toISOString() };
}

function tagParser(separator: RegExp): ParseCell {
  return (cell) => {
    if (cell.startsWith('[')) return parseTags(cell);
    const parts = unguardFormula(cell).split(separator);
    return { value: parts.map((tag) => tag.trim()).filter((tag) => tag !== '') };
  };
}

/** Returns whether a cell such as `archived` or `disabledAt` is set. */
export function isSet(cell: string): boolean {
  const parsed = parseBoolean(cell);
  return parsed.error !== undefined || parsed.value === true;
}
