import { describe, expect, it } from 'vitest';
import { scopes } from '../../src/contract/define-route.js';
import { callerOf, requestToken, startForFile } from './start-server.js';

const api = await startForFile();

const askJson = (body: object) => requestToken(api.server.url, body);
const askForm = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  api.visit('/api/v1/auth/token', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  });
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});
const grant = { grant_type: 'client_credentials' };
const form = () => ({
  ...grant,
  client_id: api.credentials.clientId,
  client_secret: api.credentials.clientSecret,
});

describe('POST /api/v1/auth/token with JSON', () => {
  it('returns { accessToken, tokenType: "Bearer", expiresIn, scope } in the envelope', async () => {
    const response = await askJson(api.credentials);
    expect(response.status).toBe(200);
    expect(response.data).toEqual({
      accessToken: expect.stringMatching(/^shorty_at_[\w-]{43}$/),
      tokenType: 'Bearer',
      expiresIn: 3600,
      scope: scopes.join(' '),
    });
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('issues a token with only the requested scopes', async () => {
    const response = await askJson({
      ...api.credentials,
      scope: 'urls:read  urls:read usage:read',
    });
    expect(response.data).toMatchObject({ scope: 'urls:read usage:read' });
  });

  it('refuses scopes that the client does not have', async () => {
    const narrow = await api.createOrganization('free', ['urls:read']);
    const response = await askJson({ ...narrow, scope: 'urls:read urls:write' });
    expect(response.outcome).toBe('400 VALIDATION_FAILED');
    expect(response.invalidFields).toEqual(['scope']);
    expect(response.error.message).toContain('urls:write');
  });

  it('returns the same error for an unknown client and a wrong secret', async () => {
    const { clientId, clientSecret } = api.credentials;
    const unknown = await askJson({ clientId: 'shorty_ci_nobody', clientSecret });
    const wrong = await askJson({ clientId, clientSecret: `${clientSecret}x` });
    expect(unknown.outcome).toBe('401 UNAUTHORIZED');
    expect(wrong.error.message).toBe(unknown.error.message);
  });
});

describe('POST /api/v1/auth/token with a form (RFC 6749 §4.4)', () => {
  it.each([
    ['the body', () => askForm(form())],
    [
      'HTTP Basic',
      () => askForm(grant, basic(api.credentials.clientId, api.credentials.clientSecret)),
    ],
  ])('takes credentials in %s', async (_, ask) => {
    const response = await ask();
    expect(response.status).toBe(200);
    const { access_token, ...rest } = response.body as { access_token: string };
    expect(rest).toEqual({ token_type: 'Bearer', expires_in: 3600, scope: scopes.join(' ') });
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('pragma')).toBe('no-cache');
    const caller = callerOf(api.server.url, access_token, api.organizationId);
    expect((await caller.call('listUrls')).status).toBe(200);
  });

  it('ignores unknown parameters (§3.2)', async () => {
    expect((await askForm({ ...form(), audience: 'x' })).status).toBe(200);
  });

  it.each([
    ['no grant type', { grant_type: '' }, 400, 'unsupported_grant_type'],
    ['another grant type', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['a wrong secret', { client_secret: 'x' }, 401, 'invalid_client'],
    ['an unknown client', { client_id: 'x' }, 401, 'invalid_client'],
    ['an unknown scope', { scope: 'urls:everything' }, 400, 'invalid_scope'],
    ['an endless client id', { client_id: 'x'.repeat(201) }, 400, 'invalid_request'],
  ])('returns the error of §5.2 for %s', async (_, change, status, error) => {
    const response = await askForm({ ...form(), ...change });
    expect(response.status).toBe(status);
    expect(response.body).toMatchObject({ error });
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('returns invalid_request for missing credentials and a missing grant type', async () => {
    for (const body of [grant, {}, { client_id: 'x', client_secret: 'x' }]) {
      const response = await askForm(body as Record<string, string>);
      expect(response.status).toBe(400);
      expect(response.body).toMatchObject({ error: 'invalid_request' });
    }
  });

  it('sends a Basic challenge after wrong HTTP Basic credentials (§5.2)', async () => {
    for (const header of [basic('x', 'y'), { authorization: `Basic ${btoa('no colon')}` }]) {
      const response = await askForm(grant, header);
      expect(response.status).toBe(401);
      expect(response.body).toMatchObject({ error: 'invalid_client' });
      expect(response.headers.get('www-authenticate')).toMatch(/^Basic /);
    }
  });
});

it('access tokens expire after 3600 seconds', async () => {
  const caller = await api.signIn(api.credentials);
  api.clock.advance(3600_000 - 1);
  expect((await caller.call('listUrls')).status).toBe(200);
  api.clock.advance(1);
  const response = await caller.call('listUrls');
  expect(response.outcome).toBe('401 UNAUTHORIZED');
  expect(response.headers.get('www-authenticate')).toBe('Bearer');
});
