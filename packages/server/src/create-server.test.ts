import { expect, it } from 'vitest';
import { ConfigError, createServer } from './index.js';

it.each([
  [{ databaseUrl: 'shorty.db' }, /^SHORTY_DATABASE_URL is shorty\.db: it must be file: and a path/],
  [{ databaseUrl: 'file:/no/such/folder/x.db' }, /^SHORTY_DATABASE_URL is .*: there is no folder/],
  [{ host: '203.0.113.1' }, /^HOST is 203\.0\.113\.1, PORT is 0: cannot listen there/],
  [{ countryDatabase: '/no/such.mmdb' }, /^SHORTY_COUNTRY_DATABASE is "\/no\/such\.mmdb": /],
  [{ baseUrl: 'sho.example' }, /^SHORTY_BASE_URL is "sho\.example": /],
  [{ publicHost: 'sho.example' }, /^SHORTY_PUBLIC_HOST is "sho\.example": /],
  [{ plansPath: '/no/such.json' }, /^SHORTY_PLANS is "\/no\/such\.json": /],
])('an error names the setting: %j', async (options, message) => {
  const start = async () => {
    const server = createServer(options);
    await server.start().finally(() => server.stop());
  };
  await expect(start).rejects.toThrow(ConfigError);
  await expect(start).rejects.toThrow(message);
});
