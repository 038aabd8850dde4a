import { expect, it } from 'vitest';
import { ConfigError, createServer } from './index.js';

it.each([
  [{ databaseUrl: 'shorty.db' }, /^databaseUrl is shorty\.db: it must be file: and a path/],
  [{ databaseUrl: 'file:/no/such/folder/x.db' }, /^databaseUrl is .*: there is no folder/],
  [{ host: '203.0.113.1' }, /^host is 203\.0\.113\.1, port is 0: cannot listen there/],
  [{ countryDatabase: '/no/such.mmdb' }, /^countryDatabase is "\/no\/such\.mmdb": /],
  [{ baseUrl: 'sho.example' }, /^baseUrl is "sho\.example": /],
  [{ publicHost: 'sho.example' }, /^publicHost is "sho\.example": /],
  [{ plansPath: '/no/such.json' }, /^plansPath is "\/no\/such\.json": /],
])('an error names the options of createServer: %j', async (options, message) => {
  const start = async () => {
    const server = createServer(options);
    await server.start().finally(() => server.stop());
  };
  await expect(start).rejects.toThrow(ConfigError);
  await expect(start).rejects.toThrow(message);
});
