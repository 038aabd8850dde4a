import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { extname } from 'node:path';
import { Cron } from 'croner';
import { ConfigError } from './config-error.js';
import { roles } from './contract/roles.js';
import { formatCount } from './format-count.js';
import { parseAddressRanges, withoutBrackets } from './network/ip-address.js';
import { parseListenAddress } from './network/listen-address.js';
import { parseUrl } from './network/parse-url.js';
import { findTargetUrlError } from './network/target-url.js';
import { findDatabaseFile, hidePassword } from './storage/locate-database.js';

export const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof logLevels)[number];
export const compatNames = ['yourls', 'bitly', 'shlink'] as const;
export type CompatName = (typeof compatNames)[number];
const logFormats = ['text', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];

export type Config = Readonly<ReturnType<typeof readConfig>>;

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings. Throws a ConfigError for the first invalid one. */
export function readConfig(environment: Environment) {
  const parseAs = <T>(name: string, text: string, parse: (text: string) => T, isShown: boolean) => {
    try {
      return parse(text);
    } catch (error) {
      const shown = isShown ? ` is ${JSON.stringify(hidePassword(text))}` : '';
      throw new ConfigError(`${name}${shown}: ${(error as Error).message}`);
    }
  };
  const read = <T>(name: string, fallback: string, parse: (text: string) => T): T =>
    parseAs(name, environment[name]?.trim() || fallback, parse, true);
  const optional = <T>(name: string, parse: (text: string) => T): T | undefined =>
    read(name, '', (text) => (text === '' ? undefined : parse(text)));
  /** Reads a secret. Messages do not show it, because logs are no place for secrets. */
  const readSecret = <T>(name: string, parse: (text: string) => T, isShown = false) => {
    const { source, text } = findSecret(environment, name);
    if (text !== undefined) return parseAs(source, text, parse, isShown && source === name);
  };
  /** Throws a ConfigError unless all settings of a group are given, or none. */
  const requireAllOrNone = (group: Readonly<Record<string, unknown>>, purpose: string) => {
    const names = Object.keys(group);
    const missing = names.filter((name) => group[name] === undefined);
    if (missing.length === 0 || missing.length === names.length) return;
    throw new ConfigError(`${missing[0]} is missing: ${purpose} needs ${names.join(', ')}`);
  };
  const port = read('PORT', '3000', wholeNumber(0, 65_535, 'port'));
  const host = read('HOST', '127.0.0.1', (text) => text);
  const databaseUrl =
    readSecret('SHORTY_DATABASE_URL', parseDatabaseUrl, true) ?? 'file:./data/shorty.db';
  const backupSchedule = optional('SHORTY_BACKUP_SCHEDULE', (text) => {
    if (findDatabaseFile(databaseUrl) !== undefined) return parseSchedule(text);
    throw new Error(
      'only a SQLite file has scheduled backups: unset it, and for PostgreSQL use pg_dump or continuous archiving (docs/postgresql.md)',
    );
  });
  const backupFolder = optional('SHORTY_BACKUP_FOLDER', (text) => text);
  const backupCount = read('SHORTY_BACKUP_KEEP', '7', wholeNumber(1, 9_999));
  if (backupSchedule && backupFolder === undefined) {
    throw new ConfigError(
      'SHORTY_BACKUP_FOLDER is missing: SHORTY_BACKUP_SCHEDULE needs a folder, such as /backups',
    );
  }
  const baseUrl = optional('SHORTY_BASE_URL', parseOrigin);
  const shortDomain = optional('SHORTY_SHORT_DOMAIN', parseHost);
  const origins = baseUrl ? [baseUrl] : [`http://${host}:${port}`, `http://localhost:${port}`];
  const ownHosts = [shortDomain, ...origins.map((origin) => parseUrl(origin)?.host)];
  const parseOutsideUrl = (text: string) => {
    const error = findTargetUrlError(text);
    if (error) throw new Error(`it ${error}`);
    const { href, host } = new URL(text);
    if (!ownHosts.includes(host)) return href;
    throw new Error(
      `it must not lead to ${host}, whose links this server serves: use the address outside that visitors should see`,
    );
  };
  /** Reads the provider of OpenID Connect, whose settings are given together or not at all. */
  const readOidc = () => {
    const issuer = optional('SHORTY_OIDC_ISSUER', parseIssuer);
    const clientId = optional('SHORTY_OIDC_CLIENT_ID', (text) => text);
    const clientSecret = readSecret('SHORTY_OIDC_CLIENT_SECRET', (text) => text);
    const defaultRole = optional('SHORTY_OIDC_DEFAULT_ROLE', oneOf(roles));
    const group = {
      SHORTY_OIDC_ISSUER: issuer,
      SHORTY_OIDC_CLIENT_ID: clientId,
      SHORTY_OIDC_CLIENT_SECRET: clientSecret,
    };
    requireAllOrNone(group, 'sign-in by OpenID Connect');
    if (issuer === undefined || !clientId || !clientSecret) return undefined;
    return { issuer, clientId, clientSecret, defaultRole };
  };
  const readCredentials = () => {
    const clientId = optional('SHORTY_CLIENT_ID', (text) => text);
    const clientSecret = readSecret('SHORTY_CLIENT_SECRET', parseClientSecret);
    const group = { SHORTY_CLIENT_ID: clientId, SHORTY_CLIENT_SECRET: clientSecret };
    requireAllOrNone(group, 'the first client');
    return clientId && clientSecret ? { clientId, clientSecret } : undefined;
  };
  return {
    port,
    host,
    /** The listener of the operator routes; undefined serves them on `host` and `port`. */
    adminListen: optional('SHORTY_ADMIN_LISTEN', (text) => {
      const address = parseListenAddress(text, host);
      const isPublic = 'port' in address && address.port === port && address.host === host;
      if (isPublic && port !== 0) {
        throw new Error('it must differ from HOST and PORT, which serve the public routes');
      }
      return address;
    }),
    /** `file:` and a path, ':memory:', or `postgres://…`. */
    databaseUrl,
    /** The journals' folder with PostgreSQL. With SQLite, journals are beside the database. */
    journalFolder: read('SHORTY_JOURNAL_FOLDER', './data/visits', (text) => text),
    /** The scheduled backups of a SQLite file; undefined creates none. */
    backups:
      backupSchedule && backupFolder !== undefined
        ? { schedule: backupSchedule, folder: backupFolder, /** Their number. */ keep: backupCount }
        : undefined,
    /** The limit of this process's connections to PostgreSQL for requests. */
    databaseConnections: read('SHORTY_DATABASE_CONNECTIONS', '10', wholeNumber(4, 1_000)),
    /** The maximum memory of the links that redirects cache. */
    linkCacheBytes: read('SHORTY_LINK_CACHE_MB', '64', wholeNumber(1, 65_536)) * 1024 * 1024,
    /** The key of the administration API; undefined turns the API off. */
    operatorKey: readSecret('SHORTY_OPERATOR_KEY', parseOperatorKey),
    /** The public origin of the API; undefined uses the listener's address. */
    baseUrl,
    /** The host of short links; undefined uses the host of `baseUrl`. */
    shortDomain,
    /** Where `/` of the short domain leads; undefined shows a page. */
    rootUrl: optional('SHORTY_ROOT_URL', parseOutsideUrl),
    /** Where addresses of the short domain without a link lead. */
    notFoundUrl: optional('SHORTY_NOT_FOUND_URL', parseOutsideUrl),
    /** Where its links lead that no longer redirect. */
    expiredUrl: optional('SHORTY_EXPIRED_URL', parseOutsideUrl),
    /** Whether its links are found in any case, if their key is the only one. */
    ignoreCase: read('SHORTY_IGNORE_CASE', '0', parseFlag),
    /** The characters of new short codes. */
    codeLength: read('SHORTY_CODE_LENGTH', '7', wholeNumber(4, 16)),
    codeAlphabet: read('SHORTY_CODE_ALPHABET', 'full', oneOf(['full', 'readable'] as const)),
    /** The APIs of other services that clients can use. */
    compat: optional('SHORTY_COMPAT', parseCompat) ?? [],
    /** Documents of apps on the short domain, as JSON. */
    appleAppSiteAssociation: optional('SHORTY_APPLE_APP_SITE_ASSOCIATION', readDocument),
    assetLinks: optional('SHORTY_ASSET_LINKS', readDocument),
    /** The provider by which people sign in, beside passwords; undefined for none. */
    oidc: readOidc(),
    /** Whether people can sign in at /dashboard. */
    dashboard: read('SHORTY_DASHBOARD', '1', parseFlag),
    /** Where visitors report abuse: the link on their pages. */
    abuseContact: optional('SHORTY_ABUSE_CONTACT', parseContact),
    /** The name of the service on pages of visitors. */
    pagesName: optional('SHORTY_PAGES_NAME', matching(/^.{0,80}$/s, 'at most 80 characters long')),
    /** The colour of their links and buttons. */
    pagesColor: optional(
      'SHORTY_PAGES_COLOR',
      matching(/^#[0-9a-f]{6}$/i, 'a hex colour such as #3451b2'),
    ),
    /** The URL of their logo; a file is a data URL. */
    pagesLogo: optional('SHORTY_PAGES_LOGO', readLogo),
    /** Whether links on the short domain forward the query of a visit, unless they say otherwise. */
    forwardQuery: read('SHORTY_FORWARD_QUERY', '0', parseFlag),
    /** Whether they forward the path after their key. */
    forwardPath: read('SHORTY_FORWARD_PATH', '0', parseFlag),
    /** Whether links have an info page, unless they say otherwise. */
    linkInfo: read('SHORTY_LINK_INFO', '0', parseFlag),
    /** The prefix of the URLs in QR codes; undefined uses the scheme and `shortDomain`. */
    publicHost: optional('SHORTY_PUBLIC_HOST', parsePrefix),
    /** The first client of an empty database; undefined generates one. */
    credentials: readCredentials(),
    trustedProxies: read('SHORTY_TRUST_PROXY', '', parseAddressRanges),
    /** The origins that browsers may call the API from: '*' or a list; undefined allows none. */
    corsOrigins: optional('SHORTY_CORS_ORIGINS', parseOrigins),
    /** The key of the visitor hashes and of stored secrets; undefined uses the key of the database. */
    secretKey: readSecret('SHORTY_SECRET_KEY', parseSecretKey),
    /** A further key that decrypts stored secrets. */
    previousSecretKey: readSecret('SHORTY_SECRET_KEY_PREVIOUS', parseSecretKey),
    /** The click counts that create events, in ascending order. */
    thresholds: read('SHORTY_THRESHOLDS', '100,1000,10000,100000,1000000', parseThresholds),
    /** Allows webhooks and logos on private addresses, for development. */
    allowPrivateNetwork: read('SHORTY_ALLOW_PRIVATE_NETWORK', '0', parseFlag),
    /** The resolvers for TXT records, as addresses with optional ports; undefined uses the system's. */
    dnsServers: optional('SHORTY_DNS_SERVERS', parseDnsServers),
    /** The resolvers that filter harmful hosts; undefined checks no targets. */
    safeDns: optional('SHORTY_SAFE_DNS', parseDnsServers),
    /** The delays in milliseconds before the second, third and later attempts of a delivery. */
    webhookRetrySchedule: read(
      'SHORTY_WEBHOOK_RETRY_SCHEDULE',
      '30,120,600,3600,21600,86400',
      parseRetrySchedule,
    ),
    /** Time without a successful attempt after which an endpoint is disabled; 0 never disables one. */
    webhookDisableAfterMs:
      read('SHORTY_WEBHOOK_DISABLE_AFTER', '432000', wholeNumber(0, 365 * 86_400)) * 1000,
    /** The path of a country database; undefined uses the installed one, or else the included one. */
    countryDatabase: optional('SHORTY_COUNTRY_DATABASE', (text) => text),
    /** The header in which trusted proxies send the visitor's country. */
    countryHeader: optional(
      'SHORTY_COUNTRY_HEADER',
      matching(/^[A-Za-z0-9-]+$/, 'the name of a header, such as CF-IPCountry'),
    ),
    /** The number of days that visits are retained, at least 31; undefined retains them forever. */
    retentionDays: optional('SHORTY_VISIT_RETENTION_DAYS', daysFrom(31)),
    /** The number of days that entries of the audit log are retained. */
    auditRetentionDays: read('SHORTY_AUDIT_RETENTION_DAYS', '365', daysFrom(1)),
    /** True stores no visitor key for requests with `Sec-GPC` or `DNT`. */
    honourPrivacySignals: read('SHORTY_HONOUR_PRIVACY_SIGNALS', '0', parseFlag),
    /** The failure that committed data survives: a crash of the process, or a loss of power. */
    durability: read('SHORTY_DURABILITY', 'process', oneOf(['process', 'power'] as const)),
    /** A JSON file with figures of plans. */
    plansPath: optional('SHORTY_PLANS', (text) => text),
    /** API requests a minute for each organization; 0 sets no limit. */
    rateLimit: read('SHORTY_RATE_LIMIT', '6000', wholeNumber(0, 1_000_000)),
    /** Token requests a minute for each address; 0 sets no limit. */
    tokenRateLimit: read('SHORTY_TOKEN_RATE_LIMIT', '600', wholeNumber(0, 1_000_000)),
    /** The limit of open client connections. */
    maxConnections: read('SHORTY_MAX_CONNECTIONS', '10000', wholeNumber(10, 1_000_000)),
    logLevel: read('SHORTY_LOG_LEVEL', 'info', oneOf(logLevels)),
    /** Undefined writes text to a terminal, and JSON elsewhere. */
    logFormat: optional('SHORTY_LOG_FORMAT', oneOf(logFormats)),
  };
}

// Variables of the CLI, which may have the same environment.
const settingsOfCli = [
  'SHORTY_ACCESS_TOKEN',
  'SHORTY_API_KEY',
  'SHORTY_CONFIG_DIR',
  'SHORTY_DEBUG',
  'SHORTY_PROFILE',
  'SHORTY_STATE_DIR',
  'SHORTY_WEBHOOK_SECRET',
];
// Kubernetes sets these for services with names such as shorty and shorty-postgres.
const kubernetesVariable =
  /_(SERVICE_HOST|SERVICE_PORT|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$|_SERVICE_PORT_/;
const kubernetesPort = /^(tcp|udp|sctp):\/\//;

/** Returns the names of variables that look like settings and are none, such as misspelt ones. */
export function findUnknownSettings(environment: Environment): string[] {
  const known = knownSettings();
  return Object.entries(environment)
    .filter(([name]) => name.toUpperCase().startsWith('SHORTY_') && !known.has(name))
    .filter(([name]) => !settingsOfCli.includes(name) && !kubernetesVariable.test(name))
    .filter(([name, value = '']) => !name.endsWith('_PORT') || !kubernetesPort.test(value))
    .map(([name]) => name);
}

/** Returns the names of the variables that `readConfig` reads. */
function knownSettings(): Set<string> {
  const names = new Set<string>();
  const recorded = new Proxy({} as Environment, {
    get(_, name) {
      names.add(String(name));
      return undefined;
    },
  });
  readConfig(recorded);
  return names;
}

/** Finds a secret in its variable, or in the file that the variable with `_FILE` names. */
function findSecret(environment: Environment, name: string): { source: string; text?: string } {
  const text = environment[name]?.trim();
  const file = environment[`${name}_FILE`]?.trim();
  if (!file) return text ? { source: name, text } : { source: name };
  if (text) throw new ConfigError(`${name} and ${name}_FILE are both set: set one`);
  const source = `${name}_FILE`;
  try {
    const content = readFileSync(file, 'utf8').trim();
    if (content === '') throw new Error('it is empty');
    return { source, text: content };
  } catch (error) {
    throw new ConfigError(`${source} is ${JSON.stringify(file)}: ${(error as Error).message}`);
  }
}

function readDocument(path: string): string {
  return JSON.stringify(JSON.parse(readFileSync(path, 'utf8')));
}

function parseSchedule(expression: string): Cron {
  try {
    const cron = new Cron(expression, { timezone: 'UTC', mode: '5-part' });
    // Cron also accepts one date instead of a pattern, and names such as @daily.
    if (expression.split(/\s+/).length === 5 && cron.nextRun() !== null) return cron;
  } catch {
    // Told below.
  }
  throw new Error(
    'it must be a cron expression in UTC that some date matches, with five fields: minute, hour, day of the month, month and day of the week, such as "0 3 * * *" for 03:00 each day',
  );
}

const parseOperatorKey = matching(
  /^[\w~+/.=-]{32,}$/,
  'at least 32 characters long, and have only letters, digits and _ ~ + / . = -. Generate one with: openssl rand -hex 32',
);

// The secret gives full access to the first organization.
const minClientSecretLength = 32;

function parseClientSecret(text: string): string {
  if (text.length >= minClientSecretLength) return text;
  throw new Error(
    `it has ${formatCount(text.length, 'character')}, and must have at least ${minClientSecretLength}. ` +
      'Generate one with: openssl rand -hex 32. ' +
      'The secret of an existing client cannot change: unset both credentials, ' +
      'and create a new client with: shorty-server clients create',
  );
}

function parseDatabaseUrl(text: string): string {
  // Throws for an invalid address, and for a link whose files are misplaced.
  findDatabaseFile(text);
  return text;
}

function parseOrigin(text: string): string {
  if (isOrigin(text)) return new URL(text).origin;
  // `localhost:3000` is a URL, too, with the scheme `localhost`.
  const hasScheme = text.includes('://');
  const scheme = /^(localhost|127\.|\[)/.test(text) ? 'http' : 'https';
  const meant = parseUrl(hasScheme ? text : `${scheme}://${text}`)?.origin ?? '';
  if (!/^https?:/.test(meant)) {
    throw new Error('it must be an origin without a path, such as https://links.example.com');
  }
  throw new Error(
    hasScheme
      ? `it must be an origin without a path: ${meant}`
      : `its scheme is missing: set it to ${meant}`,
  );
}

/** Parses the issuer of OpenID Connect, which is compared as it is written. */
function parseIssuer(text: string): string {
  const url = parseUrl(text);
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') return text;
  throw new Error('it must be the URL of the issuer, such as https://login.example.com');
}

function parseCompat(text: string): readonly CompatName[] {
  const given = partsOf(text).map(oneOf(compatNames));
  return compatNames.filter((name) => given.includes(name));
}

function parseOrigins(text: string): '*' | readonly string[] {
  if (text === '*') return '*';
  const parts = partsOf(text);
  // The URL standard allows an asterisk in a host, but browsers never send one.
  const wrong = parts.find((part) => !isOrigin(part) || part.includes('*'));
  if (wrong === undefined) return [...new Set(parts.map((part) => new URL(part).origin))];
  throw new Error(
    `${JSON.stringify(wrong)} is not an origin: it must be *, or origins without a path, separated by commas, such as https://app.example.com,http://localhost:5173`,
  );
}

function isOrigin(text: string): boolean {
  const url = parseUrl(text);
  return url !== undefined && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
}

/** Parses the URL of a page, or an e-mail address, with or without `mailto:`. */
function parseContact(text: string): string {
  if (/^https?:$/.test(parseUrl(text)?.protocol ?? '')) return new URL(text).href;
  const address = text.replace(/^mailto:/i, '');
  if (/^[^\s@?&]{1,64}@[^\s@?&]{1,255}$/.test(address)) return `mailto:${address}`;
  throw new Error(
    'it must be an e-mail address or the URL of a page, such as abuse@example.com or https://example.com/abuse',
  );
}

const logoTypes: Readonly<Record<string, string>> = {
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
};
// Each page contains it.
const maxLogoBytes = 32 * 1024;

/** Returns the URL of a logo, or its file as a data URL. */
function readLogo(text: string): string {
  const url = parseUrl(text);
  if (url?.protocol === 'https:') return url.href;
  const type = url ? undefined : logoTypes[extname(text).toLowerCase()];
  if (type === undefined) {
    const endings = Object.keys(logoTypes).join(', ');
    throw new Error(`it must be an https URL, or the path of a file that ends with ${endings}`);
  }
  const bytes = readFileSync(text);
  if (bytes.length <= maxLogoBytes) return `data:${type};base64,${bytes.toString('base64')}`;
  throw new Error(
    `the file has ${formatCount(bytes.length, 'byte')}: it must have at most ${maxLogoBytes}`,
  );
}

function parseHost(text: string): string {
  const url = parseUrl(`http://${text}`);
  if (url && url.href === `http://${url.host}/` && !text.includes('/')) return url.host;
  throw new Error('it must be a host name with an optional port, such as sho.example');
}

function parsePrefix(text: string): string {
  const url = parseUrl(text);
  if (url && /^https?:$/.test(url.protocol) && !/[?#@]/.test(text)) {
    return url.href.replace(/\/+$/, '');
  }
  throw new Error(
    'it must be http or https, a host and an optional path, such as https://sho.example',
  );
}

const parseSecretKey = matching(/^.{16,}$/s, 'at least 16 characters long');

function parseThresholds(text: string): readonly number[] {
  const thresholds = partsOf(text).map((part) => Number(part || Number.NaN));
  if (thresholds.every((threshold) => Number.isSafeInteger(threshold) && threshold > 0)) {
    return [...new Set(thresholds)].sort((a, b) => a - b);
  }
  throw new Error('it must be whole numbers above 0, separated by commas, such as 100,1000,10000');
}

const maxRetries = 20;

function parseRetrySchedule(text: string): readonly number[] {
  const seconds = partsOf(text).map((part) => Number(part || Number.NaN));
  const areDelays = seconds.every((delay) => delay >= 0.001 && delay <= 31 * 86_400);
  if (areDelays && seconds.length <= maxRetries) {
    return seconds.map((delay) => Math.round(delay * 1000));
  }
  throw new Error(
    `it must be up to ${maxRetries} numbers of seconds, separated by commas, such as 30,120,600`,
  );
}

function parseDnsServers(text: string): readonly string[] {
  const servers = partsOf(text);
  if (servers.every(isAddressWithPort)) return servers;
  throw new Error(
    'it must be addresses, separated by commas, such as 1.1.1.1,[2606:4700::1111]:53',
  );
}

/** Returns true for an IP address with an optional port. An IPv6 address with a port has brackets. */
function isAddressWithPort(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const url = parseUrl(`dns://${text}`);
  return url?.host === text && isIP(withoutBrackets(url.hostname)) !== 0;
}

/** Returns a parser that takes the texts which match a pattern. */
function matching(pattern: RegExp, rule: string): (text: string) => string {
  return (text) => {
    if (pattern.test(text)) return text;
    throw new Error(`it must be ${rule}`);
  };
}

function partsOf(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

function wholeNumber(min: number, max: number, what = 'whole number'): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d{1,9}$/.test(text) && value >= min && value <= max) return value;
    throw new Error(`it must be a ${what} from ${min} to ${max}`);
  };
}

const daysFrom = (min: number) => wholeNumber(min, 99_999, 'whole number of days');

function parseFlag(text: string): boolean {
  if (text === '0' || text === '1') return text === '1';
  throw new Error('it must be 1 (on) or 0 (off)');
}

function oneOf<const T extends string>(values: readonly T[]): (text: string) => T {
  return (text) => {
    const value = values.find((known) => known === text);
    if (value) return value;
    throw new Error(`it must be one of ${values.join(', ')}`);
  };
}
