import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../test/scratch-folder.js';
import { type Config, findUnknownSettings, readConfig } from './config.js';
import { ConfigError } from './config-error.js';

describe('readConfig', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      databaseUrl: 'file:./data/shorty.db',
      baseUrl: undefined,
      shortDomain: undefined,
      credentials: undefined,
      durability: 'process',
      rateLimit: 6000,
      maxConnections: 10_000,
      logLevel: 'info',
    });
    expect(readConfig({}).trustedProxies.includes('127.0.0.1')).toBe(false);
  });

  it('ignores an empty setting, which shells and compose files may produce', () => {
    const names = ['PORT', 'HOST', 'SHORTY_DATABASE_URL', 'SHORTY_BASE_URL', 'SHORTY_CLIENT_ID'];
    const environment = Object.fromEntries(names.map((name) => [name, ' ']));
    expect(JSON.stringify(readConfig(environment))).toBe(JSON.stringify(readConfig({})));
  });

  it.each([
    [{ PORT: '0' }, { port: 0 }],
    [{ SHORTY_DATABASE_URL: 'file:///var/a%20b.db' }, { databaseUrl: 'file:///var/a%20b.db' }],
    [{ SHORTY_CORS_ORIGINS: '*' }, { corsOrigins: '*' }],
    [
      { SHORTY_CORS_ORIGINS: 'https://E.com/, http://localhost:5173,https://e.com:443' },
      { corsOrigins: ['https://e.com', 'http://localhost:5173'] },
    ],
    [{ SHORTY_BASE_URL: 'HTTP://E.com:8080/' }, { baseUrl: 'http://e.com:8080' }],
    [{ SHORTY_SHORT_DOMAIN: 'sho.example:8080' }, { shortDomain: 'sho.example:8080' }],
    [{ SHORTY_PUBLIC_HOST: 'http://e.com:8080/q/' }, { publicHost: 'http://e.com:8080/q' }],
    [{}, { publicHost: undefined, allowPrivateNetwork: false }],
    [{ SHORTY_ALLOW_PRIVATE_NETWORK: '1' }, { allowPrivateNetwork: true }],
    [{ SHORTY_WEBHOOK_RETRY_SCHEDULE: '0.5, 2' }, { webhookRetrySchedule: [500, 2000] }],
    [{ SHORTY_WEBHOOK_DISABLE_AFTER: '60' }, { webhookDisableAfterMs: 60_000 }],
    [
      { HOST: '0.0.0.0', SHORTY_ADMIN_LISTEN: ':3001' },
      { adminListen: { host: '0.0.0.0', port: 3001 } },
    ],
    [
      { SHORTY_DNS_SERVERS: '127.0.0.1:5353, ::1,[2606:4700::1111]:53' },
      { dnsServers: ['127.0.0.1:5353', '::1', '[2606:4700::1111]:53'] },
    ],
    [{ SHORTY_COMPAT: 'shlink, yourls' }, { compat: ['yourls', 'shlink'] }],
    [
      { SHORTY_CODE_LENGTH: '4', SHORTY_CODE_ALPHABET: 'readable' },
      { codeLength: 4, codeAlphabet: 'readable' },
    ],
    [
      { SHORTY_CLIENT_ID: 'id', SHORTY_CLIENT_SECRET: 's'.repeat(32) },
      { credentials: { clientId: 'id', clientSecret: 's'.repeat(32) } },
    ],
  ])('reads %j', (environment, expected) => {
    expect(readConfig(environment)).toMatchObject(expected);
  });

  it.each([
    ['PORT', '65536'],
    ['SHORTY_MAX_CONNECTIONS', '9'],
    ['SHORTY_DNS_SERVERS', 'dns.example'],
    ['SHORTY_BACKUP_SCHEDULE', '0 3 * *'],
    ['SHORTY_BACKUP_SCHEDULE', '0 0 30 2 *'],
    ['SHORTY_BACKUP_KEEP', '0'],
    ['SHORTY_DATABASE_URL', 'data/shorty.db'],
    ['SHORTY_DATABASE_URL', 'file://elsewhere/x.db'],
    ['SHORTY_CORS_ORIGINS', 'https://e.com/path'],
    ['SHORTY_BASE_URL', 'https://e.com/path'],
    ['SHORTY_SHORT_DOMAIN', 'https://e.com'],
    ['SHORTY_PUBLIC_HOST', 'sho.example'],
    ['SHORTY_ALLOW_PRIVATE_NETWORK', 'yes'],
    ['SHORTY_TRUST_PROXY', 'everybody'],
    ['SHORTY_WEBHOOK_RETRY_SCHEDULE', '30,never'],
    ['SHORTY_WEBHOOK_DISABLE_AFTER', '31536001'],
    ['SHORTY_ADMIN_LISTEN', '127.0.0.1:3000'],
    ['SHORTY_DURABILITY', 'maybe'],
    ['SHORTY_PAGES_NAME', 'x'.repeat(81)],
    ['SHORTY_PAGES_COLOR', 'blue'],
    ['SHORTY_PAGES_LOGO', 'http://e.com/logo.png'],
    ['SHORTY_LOG_LEVEL', 'loud'],
    ['SHORTY_CODE_LENGTH', '3'],
    ['SHORTY_CODE_ALPHABET', 'braille'],
    ['SHORTY_COMPAT', 'yourls,kutt'],
    ['SHORTY_ROOT_URL', 'http://127.0.0.1:3000/'],
    ['SHORTY_NOT_FOUND_URL', 'http://localhost:3000/missing'],
    ['SHORTY_EXPIRED_URL', 'http://localhost:3000'],
  ])('rejects %s=%s with its name, its value and the rule', (name, value) => {
    const read = () => readConfig({ [name]: value });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(`${name} is ${JSON.stringify(value)}: `);
    expect(read).toThrow(/: .*(must be|must not|must differ|neither|malformed)/);
  });

  it('reads a small logo', () => {
    const file = join(scratchFolder(), 'logo.SVG');
    const read = () => readConfig({ SHORTY_PAGES_LOGO: file }).pagesLogo;
    expect(read).toThrow(/SHORTY_PAGES_LOGO is ".*logo.SVG": ENOENT/);
    writeFileSync(file, '<svg/>');
    expect(read()).toBe('data:image/svg+xml;base64,PHN2Zy8+');
    writeFileSync(file, ' '.repeat(32_769));
    expect(read).toThrow('the file has 32,769 bytes: it must have at most 32768');
    expect(readConfig({ SHORTY_PAGES_LOGO: 'https://e.com/a.gif' }).pagesLogo).toBe(
      'https://e.com/a.gif',
    );
  });

  it.each(['open-sesame', 'x'.repeat(31), `${' '.repeat(40)}open-sesame`])(
    'refuses the client secret %j with the next step, and does not show it',
    (secret) => {
      const read = () => readConfig({ SHORTY_CLIENT_ID: 'id', SHORTY_CLIENT_SECRET: secret });
      expect(read).toThrow(ConfigError);
      expect(read).toThrow(
        `SHORTY_CLIENT_SECRET: it has ${secret.trim().length} characters, and must have at least 32. ` +
          'Generate one with: openssl rand -hex 32.',
      );
      expect(read).not.toThrow(secret.trim());
    },
  );

  it.each([
    ['SHORTY_CLIENT_ID', { SHORTY_CLIENT_SECRET: `open-sesame-${'x'.repeat(32)}` }],
    ['SHORTY_CLIENT_SECRET', { SHORTY_CLIENT_ID: 'id' }],
  ])('requires %s when the other one is set, and shows no secret', (missing, environment) => {
    expect(() => readConfig(environment)).toThrow(new RegExp(`^${missing} is missing`));
    expect(() => readConfig(environment)).not.toThrow('open-sesame');
  });

  it('hides a password in the message', () => {
    const read = () => readConfig({ SHORTY_BASE_URL: 'https://me:open-sesame@e.com' });
    expect(read).toThrow('SHORTY_BASE_URL is "https://me:***@e.com"');
    expect(read).not.toThrow('open-sesame');
  });
});

describe('SHORTY_BACKUP_SCHEDULE', () => {
  const schedule = { SHORTY_BACKUP_SCHEDULE: '0 3 * * *' };

  it('needs a folder', () => {
    expect(() => readConfig(schedule)).toThrow('SHORTY_BACKUP_FOLDER is missing');
    const { backups } = readConfig({ ...schedule, SHORTY_BACKUP_FOLDER: '/backups' });
    expect(backups).toMatchObject({ folder: '/backups', keep: 7 });
    expect(readConfig({ SHORTY_BACKUP_FOLDER: '/backups' }).backups).toBeUndefined();
  });

  it.each([
    ['0 3 * * *', '2026-11-24T03:00:00.000Z'],
    ['0  2  *  *  SUN', '2026-11-29T02:00:00.000Z'],
  ])('reads %s in UTC', (expression, next) => {
    const settings = { SHORTY_BACKUP_SCHEDULE: expression, SHORTY_BACKUP_FOLDER: '/backups' };
    const run = readConfig(settings).backups?.schedule.nextRun(new Date('2026-11-23T03:00:00Z'));
    expect(run?.toISOString()).toBe(next);
  });

  it.each(['postgres://me@127.0.0.1/x', ':memory:'])('is refused for %s', (url) => {
    const settings = { ...schedule, SHORTY_BACKUP_FOLDER: '/backups', SHORTY_DATABASE_URL: url };
    expect(() => readConfig(settings)).toThrow(
      'SHORTY_BACKUP_SCHEDULE is "0 3 * * *": only a SQLite file has scheduled backups: unset it, and for PostgreSQL use pg_dump',
    );
  });
});

it('findUnknownSettings knows the variables of the CLI', () => {
  const folder = join(import.meta.dirname, '../../cli/src');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const names = sources.join('').match(/\bSHORTY_[A-Z_]+[A-Z]\b/g) ?? [];
  expect(names).toContain('SHORTY_PROFILE');
  expect(findUnknownSettings(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([]);
});

describe('a secret', () => {
  const key = 'a'.repeat(32);

  it.each([
    ['too-short-a-key', 'it must be at least 32 characters long'],
    [`${key} ${key}`, 'only letters, digits and'],
    [`${key}é`, 'only letters, digits and'],
  ])('is no operator key if it is %s', (SHORTY_OPERATOR_KEY, message) => {
    const read = () => readConfig({ SHORTY_OPERATOR_KEY });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(message);
  });

  it.each([
    ['SHORTY_OPERATOR_KEY', key, (config: Config) => config.operatorKey],
    ['SHORTY_SECRET_KEY', key, (config: Config) => config.secretKey],
    ['SHORTY_CLIENT_SECRET', key, (config: Config) => config.credentials?.clientSecret],
    ['SHORTY_DATABASE_URL', 'postgres://me:x@e.com/db', (config: Config) => config.databaseUrl],
  ])('%s can be read from a file', (name, value, read) => {
    const file = join(scratchFolder(), 'secret');
    writeFileSync(file, `${value}\n`);
    const others = name === 'SHORTY_CLIENT_SECRET' ? { SHORTY_CLIENT_ID: 'id' } : {};
    expect(read(readConfig({ ...others, [`${name}_FILE`]: file }))).toBe(value);
    const both = { ...others, [name]: value, [`${name}_FILE`]: file };
    expect(() => readConfig(both)).toThrow(`${name} and ${name}_FILE are both set: set one`);
    const missing = { ...others, [`${name}_FILE`]: '/no/such/file' };
    expect(() => readConfig(missing)).toThrow(`${name}_FILE is "/no/such/file"`);
  });
});
