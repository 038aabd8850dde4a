import { sql } from 'kysely';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { engine } from '../engine.js';
import { startForTest, type TestServer } from './start-server.js';

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly requestId?: string;
  readonly err?: { readonly message: string };
}

/**
 * Starts a server that the test may damage. `errors` returns the logged errors of requests; threads
 * may log others.
 */
async function startLogged(): Promise<{ api: TestServer; errors: () => Line[] }> {
  const lines: Line[] = [];
  const logger = pino({ level: 'trace' }, { write: (line) => void lines.push(JSON.parse(line)) });
  const api = await startForTest({ logger });
  return { api, errors: () => lines.filter(({ level, requestId }) => level >= 50 && requestId) };
}

const drop = (api: TestServer, table: string) =>
  api.server.database.writeDirectly(async (transaction) => {
    const rest = sql.raw(engine() === 'postgres' ? 'cascade' : '');
    await sql`drop table ${sql.table(table)} ${rest}`.execute(transaction);
  });

/** Returns the message of the engine for a missing table. */
const missing = (table: string) =>
  engine() === 'postgres' ? `relation "${table}" does not exist` : `no such table: ${table}`;

const body = { targetUrl: 'https://example.com/' };

describe('INTERNAL 500 leaks no internal detail', () => {
  it('from the API, and the log has the cause with the request id of the response', async () => {
    const { api, errors } = await startLogged();
    await drop(api, 'webhooks');
    const response = await api.call('createUrl', { body });
    expect(response.outcome).toBe('500 INTERNAL');
    expect(response.text).not.toMatch(/table|relation|webhooks|sqlite|postgres|\.ts|\.js| at /i);
    expect(errors()).toMatchObject([
      {
        requestId: response.error.requestId,
        err: { message: missing('webhooks'), stack: expect.stringContaining(' at ') },
      },
    ]);
    // The transaction was rolled back.
    expect((await api.call('listUrls')).data.total).toBe(0);
  });

  it('from the token endpoint, in the form that OAuth libraries read', async () => {
    const { api, errors } = await startLogged();
    await drop(api, 'access_tokens');
    const { clientId, clientSecret } = api.credentials;
    const response = await api.visit('/api/v1/auth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `grant_type=client_credentials&client_id=${clientId}&client_secret=${clientSecret}`,
    });
    expect(response.status).toBe(500);
    expect(response.body).toEqual({ error: 'server_error', error_description: expect.any(String) });
    expect(response.text).not.toMatch(/table|tokens/);
    expect(errors()).toMatchObject([{ err: { message: missing('access_tokens') } }]);
  });

  it('from a link, as a page for people and JSON for programs', async () => {
    const { api, errors } = await startLogged();
    await drop(api, 'url_keys');
    const page = await api.visit('/some-link');
    expect(page.status).toBe(500);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.text).not.toMatch(/url_keys|sqlite|postgres/i);
    const program = await api.visit('/some-link', { headers: { accept: 'application/json' } });
    expect(program.outcome).toBe('500 INTERNAL');
    expect(program.text).not.toMatch(/url_keys|sqlite|postgres/i);
    expect(errors().map(({ err }) => err?.message)).toEqual(Array(2).fill(missing('url_keys')));
  });
});
