import { describe, expect, it } from 'vitest';
import { api as routes } from '../../src/api/api.js';
import { isWrite, type Route, scopesOf } from '../../src/contract/define-route.js';
import { createPeopleModule } from '../../src/people/people-module.js';
import { readCookie, refuseCrossOrigin, sessionCookie } from '../../src/people/session-cookie.js';
import { createUserRepository } from '../../src/people/user-repository.js';
import { contractFetch } from './contract-fetch.js';
import { type Caller, startForFile } from './start-server.js';

const api = await startForFile();
let admin: Caller = api;

const password = 'correct horse battery';
const day = 24 * 60 * 60 * 1000;

/** Moves the clock. Access tokens last for an hour. */
async function advance(ms: number): Promise<void> {
  api.clock.advance(ms);
  admin = await api.signIn(api.credentials);
}

let people = 0;
const newEmail = () => `person-${people++}@example.com`;
const tokenOf = (invitationUrl: string) => new URL(invitationUrl).hash.slice(1);

function post(path: string, body: object, headers: Record<string, string> = {}) {
  return contractFetch(api.server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

const accept = (token: string, more: object = {}) =>
  post('/api/v1/session/invitation', { token, password, ...more });
const signIn = (email: string, given = password, headers: Record<string, string> = {}) =>
  post('/api/v1/session', { email, password: given }, headers);

async function invite(role: string, by: Caller = admin) {
  const { data } = await by.call('inviteUser', { body: { email: newEmail(), role } });
  return { ...data, email: data.email as string, token: tokenOf(data.invitationUrl) };
}

interface Browser {
  readonly cookie: string;
  send(method: string, path: string, init?: RequestInit): ReturnType<Caller['send']>;
}

/** A browser with the cookie of a response. Its requests come from a page of the server. */
function browserOf(response: { readonly headers: Headers }): Browser {
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
  return {
    cookie,
    send: (method, path, { headers, ...init } = {}) =>
      contractFetch(api.server.url + path, {
        ...init,
        method,
        headers: {
          cookie,
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/json',
          ...Object.fromEntries(new Headers(headers)),
        },
      }),
  };
}

/** Returns a person of a role who is signed in. */
async function person(role: string) {
  const { id, email, token } = await invite(role);
  return { id, email, browser: browserOf(await accept(token)) };
}

const me = (browser: Browser) => browser.send('GET', '/api/v1/me');

describe('an invitation', () => {
  it('of the first owner asks for an address', async () => {
    const token = tokenOf(api.server.invitationUrl as string);
    expect((await accept(token)).invalidFields).toEqual(['email']);
    const taken = await invite('viewer');
    expect((await accept(token, { email: taken.email })).outcome).toBe('409 EMAIL_CONFLICT');
    const email = newEmail();
    const response = await accept(token, { email: email.toUpperCase() });
    expect(response.data).toMatchObject({ user: { email, role: 'owner' } });
  });

  it('sets the password of a person once, and signs in', async () => {
    const { id, email, token, invitationUrl, ...invited } = await invite('editor');
    expect(invitationUrl).toBe(`${api.server.url}/dashboard/welcome#${token}`);
    expect(invited).toMatchObject({ role: 'editor', hasPassword: false, lastSignedInAt: null });
    const response = await accept(token);
    expect(response.status).toBe(201);
    expect((await me(browserOf(response))).data).toMatchObject({
      organization: { id: api.organizationId },
      user: { id, email, role: 'editor' },
      client: null,
      apiKey: null,
    });
    expect((await accept(token)).outcome).toBe('401 UNAUTHORIZED');
    expect((await accept(token, { password: 'of a thief who was late' })).status).toBe(401);
    expect((await signIn(email)).status).toBe(201);
    const list = await admin.call('listUsers');
    expect(list.data.items[0]).toMatchObject({ id, hasPassword: true, invitationExpiresAt: null });
    expect(list.text).not.toContain(token);
  });

  it('of two who use it at once lets one in', async () => {
    const { token } = await invite('viewer');
    const used = await Promise.all([accept(token), accept(token)]);
    expect(used.map(({ status }) => status).sort()).toEqual([201, 401]);
  });

  it('is not used up by a GET, and ends after a day', async () => {
    const { token } = await invite('viewer');
    await api.visit(`/dashboard/welcome?token=${token}`);
    expect((await api.visit(`/api/v1/session/invitation?token=${token}`)).status).toBe(405);
    await advance(day);
    expect((await accept(token)).outcome).toBe('401 UNAUTHORIZED');
  });

  it('is replaced by the next one', async () => {
    const { id, token } = await invite('viewer');
    const { data } = await admin.call('resetUserPassword', { params: { id } });
    expect((await accept(token)).outcome).toBe('401 UNAUTHORIZED');
    expect((await accept(tokenOf(data.invitationUrl))).status).toBe(201);
  });

  it('is refused for an address that somebody on the server has', async () => {
    const { email } = await invite('viewer');
    const other = await api.signIn(await api.createOrganization('scale'));
    const body = { email: email.toUpperCase(), role: 'owner' };
    expect((await other.call('inviteUser', { body })).outcome).toBe('409 EMAIL_CONFLICT');
  });

  it('needs a password of ten characters and an address', async () => {
    const { token } = await invite('viewer');
    expect((await accept(token, { password: 'too short' })).invalidFields).toEqual(['password']);
    const body = { email: 'ada', role: 'chief' };
    expect((await admin.call('inviteUser', { body })).invalidFields).toEqual(['email', 'role']);
  });
});

describe('a session', () => {
  it('begins with the address in any case, and has a token of its own', async () => {
    const { email, browser } = await person('viewer');
    const response = await signIn(email.toUpperCase());
    expect(response.headers.get('set-cookie')).toMatch(
      /^shorty_session=shorty_ss_[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
    );
    const next = browserOf(response);
    expect(next.cookie).not.toBe(browser.cookie);
    // A cookie that was there before is not taken over.
    const fixed = await signIn(email, password, { cookie: browser.cookie });
    expect(browserOf(fixed).cookie).not.toBe(browser.cookie);
  });

  it('is refused for a wrong password and an unknown address alike', async () => {
    const { email } = await person('viewer');
    const wrong = await signIn(email, 'a wrong password');
    const unknown = await signIn(newEmail());
    expect([wrong.outcome, wrong.error.message]).toEqual([unknown.outcome, unknown.error.message]);
    expect(wrong.outcome).toBe('401 UNAUTHORIZED');
  });

  it('is refused after ten wrong passwords, also with the right one', async () => {
    const { email } = await person('viewer');
    for (let attempt = 0; attempt < 10; attempt += 1) await signIn(email, 'a wrong password');
    expect((await signIn(email)).outcome).toBe('429 RATE_LIMITED');
    await advance(10 * 60_000);
    expect((await signIn(email)).status).toBe(201);
  });

  it('ends with a sign-out, and cannot be used again', async () => {
    const { browser } = await person('viewer');
    const response = await browser.send('DELETE', '/api/v1/session');
    expect(response.headers.get('set-cookie')).toContain('Max-Age=0');
    expect((await me(browser)).outcome).toBe('401 UNAUTHORIZED');
  });

  it('ends after 30 days', async () => {
    const { browser } = await person('viewer');
    await advance(30 * day - 1);
    expect((await me(browser)).status).toBe(200);
    await advance(1);
    expect((await me(browser)).outcome).toBe('401 UNAUTHORIZED');
  });

  it('ends with a change of the password, which signs in again', async () => {
    const { email, browser } = await person('viewer');
    const elsewhere = browserOf(await signIn(email));
    const change = (currentPassword: string) =>
      browser.send('PUT', '/api/v1/session/password', {
        body: JSON.stringify({ currentPassword, newPassword: 'a longer password' }),
      });
    expect((await change('a wrong password')).invalidFields).toEqual(['currentPassword']);
    const response = await change(password);
    expect((await me(browserOf(response))).status).toBe(200);
    expect((await me(browser)).outcome).toBe('401 UNAUTHORIZED');
    expect((await me(elsewhere)).outcome).toBe('401 UNAUTHORIZED');
    expect((await signIn(email)).outcome).toBe('401 UNAUTHORIZED');
    expect((await signIn(email, 'a longer password')).status).toBe(201);
  });

  it('does not begin by a password that was changed, or for a person removed, after it was verified', async () => {
    const { id } = await person('viewer');
    const users = createUserRepository(api.server.database);
    const verified = await users.find('users.id', id);
    if (!verified) throw new Error('there is no such person');
    await users.changePassword(verified, 'the hash of another password', api.clock());
    expect(await users.signIn(verified, api.clock())).toBeNull();
    const current = await users.find('users.id', id);
    await admin.call('deleteUser', { params: { id } });
    expect(await users.signIn(current ?? verified, api.clock())).toBeNull();
  });

  it('ends with a change of the role, a removal and a reset that is used', async () => {
    const changed = await person('viewer');
    await admin.call('changeUserRole', { params: { id: changed.id }, body: { role: 'editor' } });
    const removed = await person('viewer');
    await admin.call('deleteUser', { params: { id: removed.id } });
    const reset = await person('viewer');
    const { data } = await admin.call('resetUserPassword', { params: { id: reset.id } });
    expect((await me(reset.browser)).status).toBe(200);
    await accept(tokenOf(data.invitationUrl));
    for (const { browser } of [changed, removed, reset]) {
      expect((await me(browser)).outcome).toBe('401 UNAUTHORIZED');
    }
    expect((await signIn(removed.email)).outcome).toBe('401 UNAUTHORIZED');
  });

  it('is secure and bound to the host behind TLS', () => {
    const { 'Set-Cookie': cookie = '' } = sessionCookie('https://sho.rt', 'token');
    expect(cookie).toBe(
      '__Host-shorty_session=token; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure',
    );
    const read = (header: string) => readCookie('https://sho.rt', { cookie: header });
    expect(read('a=b; __Host-shorty_session=token')).toBe('token');
    expect(read('shorty_session=of-another-subdomain')).toBeUndefined();
    // A browser would not store the cookie.
    const plain = { origin: 'http://10.0.0.5:3000', host: '10.0.0.5:3000' };
    const open = 'open https://sho.rt/dashboard/';
    expect(() => refuseCrossOrigin('https://sho.rt', plain)).toThrow(open);
    expect(() => refuseCrossOrigin('http://sho.rt', plain)).not.toThrow();
  });
});

describe('a request by a session', () => {
  const create = (browser: Browser, headers: Record<string, string>) =>
    browser.send('POST', '/api/v1/urls', {
      headers,
      body: JSON.stringify({ targetUrl: 'https://example.com/' }),
    });

  it('writes from a page of the server only', async () => {
    const { browser } = await person('editor');
    expect((await create(browser, {})).status).toBe(201);
    for (const site of ['cross-site', 'same-site', 'none']) {
      const response = await create(browser, { 'sec-fetch-site': site });
      expect(response.outcome).toBe('403 CROSS_ORIGIN');
    }
  });

  it('writes by the origin where browsers do not say the site', async () => {
    const { browser } = await person('editor');
    const body = { targetUrl: 'https://example.com/' };
    const send = (headers: Record<string, string>) =>
      post('/api/v1/urls', body, { cookie: browser.cookie, ...headers });
    expect((await send({ origin: api.server.url })).status).toBe(201);
    expect((await send({ origin: 'https://evil.example' })).outcome).toBe('403 CROSS_ORIGIN');
    expect((await send({ origin: 'null' })).outcome).toBe('403 CROSS_ORIGIN');
    expect((await send({})).outcome).toBe('403 CROSS_ORIGIN');
  });

  it('cannot be begun by another site', async () => {
    const { email } = await person('viewer');
    const response = await signIn(email, password, { origin: 'https://evil.example' });
    expect(response.outcome).toBe('403 CROSS_ORIGIN');
  });

  it('gives way to a token', async () => {
    const { browser } = await person('viewer');
    const response = await create(browser, {
      authorization: `Bearer ${admin.token}`,
      'sec-fetch-site': 'cross-site',
    });
    expect(response.status).toBe(201);
  });

  it('makes links that are listed as made by the person', async () => {
    const { id, browser } = await person('editor');
    const made = (await create(browser, {})).data as { id: string; createdBy: string };
    expect(made.createdBy).toBe(id);
    const { data } = await admin.call('listUrls', { query: { createdBy: id, view: 'full' } });
    expect(data.items).toEqual([expect.objectContaining({ id: made.id, createdBy: id })]);
  });

  it('makes keys that name the person', async () => {
    const { id, browser } = await person('owner');
    const body = JSON.stringify({ name: 'own' });
    const { data } = await browser.send('POST', '/api/v1/api-keys', { body });
    expect(data).toMatchObject({ createdBy: id });
  });

  it('is named in the audit log', async () => {
    const { id, email, browser } = await person('editor');
    await create(browser, {});
    const { data } = await admin.call('listAuditEntries', { query: { limit: 1 } });
    expect(data.items[0]?.actor).toEqual({ type: 'user', id, name: email });
  });

  it('is refused while the organization is suspended', async () => {
    const { email, browser } = await person('viewer');
    const params = { id: api.organizationId };
    const suspend = (isSuspended: boolean) =>
      api.operator.call('updateOrganization', { params, body: { isSuspended } });
    await suspend(true);
    expect((await me(browser)).outcome).toBe('403 ORGANIZATION_SUSPENDED');
    expect((await signIn(email)).outcome).toBe('403 ORGANIZATION_SUSPENDED');
    await suspend(false);
  });
});

describe('a role', () => {
  // What a person does with the own session needs no role.
  const needsScope = (routes as readonly Route[]).filter(scopesOf);
  const writes = needsScope.filter(isWrite);
  const request = (browser: Browser, { method, path }: Route) =>
    browser.send(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, '1'), {
      ...(method !== 'get' && { body: '{}' }),
    });

  it.each([
    ['viewer', 'nothing', /^$/],
    ['editor', 'links, codes and domains only', /^(?:urls|qr|domains):write$/],
  ])('%s writes %s', async (role, _, allowed) => {
    const { browser } = await person(role);
    expect(writes.length).toBeGreaterThan(30);
    for (const route of writes) {
      const { text } = await request(browser, route);
      const isAllowed = scopesOf(route)?.some((scope) => allowed.test(scope)) ?? false;
      const isRefused = text.includes('INSUFFICIENT_SCOPE');
      expect([route.operationId, isRefused]).toEqual([route.operationId, !isAllowed]);
    }
  });

  it('owner may call everything', async () => {
    const { browser } = await person('owner');
    for (const route of needsScope.filter(({ method }) => method === 'get')) {
      const { text } = await request(browser, route);
      expect(text).not.toContain('INSUFFICIENT_SCOPE');
    }
  });

  it('of the last owner stays', async () => {
    const credentials = await api.createOrganization('scale');
    const other = await api.signIn(credentials);
    const only = await invite('owner', other);
    await invite('editor', other);
    const params = { id: only.id };
    const demote = () => other.call('changeUserRole', { params, body: { role: 'viewer' } });
    expect((await demote()).outcome).toBe('409 LAST_OWNER');
    expect((await other.call('deleteUser', { params })).outcome).toBe('409 LAST_OWNER');
    await invite('owner', other);
    expect((await demote()).data.role).toBe('viewer');
  });

  it('of two owners who remove each other at once, one stays', async () => {
    const other = await api.signIn(await api.createOrganization('scale'));
    const owners = [await invite('owner', other), await invite('owner', other)];
    const removed = await Promise.all(
      owners.map(({ id }) => other.call('deleteUser', { params: { id } })),
    );
    expect(removed.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

it('signs in again after a password could not be hashed', async () => {
  let isFull = true;
  const hashAll = async () => {
    if (isFull) throw new Error('the queue is full');
    return ['hash'];
  };
  const { handlers } = createPeopleModule({
    database: api.server.database,
    passwords: { hashAll, verify: async () => false },
    clock: api.clock,
    publicUrl: () => 'http://sho.example',
  } as never);
  const body = { email: 'nobody@example.com', password: 'a guess' };
  const signIn = () => handlers.createSession({ body, headers: {}, address: '::1' } as never);
  await expect(signIn()).rejects.toThrow('the queue is full');
  isFull = false;
  for (let at = 0; at < 10; at += 1) await expect(signIn()).rejects.toThrow('is wrong');
  await expect(signIn()).rejects.toThrow('Too many attempts');
});
