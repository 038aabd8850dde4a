import { http } from 'msw';
import { describe, expect, it } from 'vitest';
import { mockApi } from '../test/mock-api.js';
import { failure, success, usage } from '../test/responses.js';
import { api, createTestClient } from '../test/test-client.js';
import { AuthenticationError, TimeoutError } from './errors.js';

const server = mockApi();

const credentials = { clientId: 'id', clientSecret: 'secret' };

/** Issues token-1, token-2 and so on, and takes them all but those that a test refuses. */
function issueTokens(expiresIn = 3600) {
  const state = {
    issued: 0,
    used: [] as string[],
    refused: new Set<string>(),
    bodies: [] as string[],
  };
  server.use(
    http.post(`${api}/auth/token`, async ({ request }) => {
      state.bodies.push(await request.text());
      const accessToken = `token-${++state.issued}`;
      return success({ accessToken, tokenType: 'Bearer', expiresIn, scope: 'usage:read' });
    }),
    http.get(`${api}/usage`, ({ request }) => {
      const token = request.headers.get('authorization')?.replace('Bearer ', '') ?? '';
      state.used.push(token);
      return state.refused.has(token) ? failure(401, 'UNAUTHORIZED') : success(usage);
    }),
  );
  return state;
}

describe('a token', () => {
  it('is requested as JSON, with the scope if one is set', async () => {
    const state = issueTokens();
    await createTestClient(credentials).usage.get();
    await createTestClient({ ...credentials, scope: 'usage:read' }).usage.get();
    expect(state.bodies.map((body) => JSON.parse(body))).toEqual([
      credentials,
      { ...credentials, scope: 'usage:read' },
    ]);
  });

  it('is requested once for all waiting calls', async () => {
    const state = issueTokens();
    const { usage: resource } = createTestClient(credentials);
    await Promise.all(Array.from({ length: 20 }, () => resource.get()));
    expect(state.issued).toBe(1);
    expect(state.used).toHaveLength(20);
  });

  it.each([
    ['until a minute before it expires', 3600, 3_540_000],
    ['for half of a short lifetime', 30, 15_000],
  ])('is reused %s', async (_, expiresIn, reusedMs) => {
    const state = issueTokens(expiresIn);
    const client = createTestClient(credentials);
    await client.usage.get();
    client.ports.advance(reusedMs - 1);
    await client.usage.get();
    expect(state.issued).toBe(1);
    client.ports.advance(1);
    await client.usage.get();
    expect(state.used).toEqual(['token-1', 'token-1', 'token-2']);
  });
});

describe('a 401', () => {
  it.each([1, 10])(
    'of %i calls at once renews the token once, and repeats them',
    async (length) => {
      const state = issueTokens();
      const client = createTestClient(credentials);
      state.refused.add('token-1');
      const calls = Array.from({ length }, () => client.usage.get());
      expect(await Promise.all(calls)).toEqual(Array(length).fill(usage));
      expect(state.used.sort()).toEqual(
        ['token-1', 'token-2'].flatMap((t) => Array(length).fill(t)),
      );
      expect(state.issued).toBe(2);
      expect(client.retries).toEqual([]);
    },
  );

  it('is returned if the new token is refused too', async () => {
    const state = issueTokens();
    for (const token of ['token-1', 'token-2', 'token-3']) state.refused.add(token);
    const client = createTestClient(credentials);
    await expect(client.usage.get()).rejects.toBeInstanceOf(AuthenticationError);
    expect(state.used).toEqual(['token-1', 'token-2']);
  });

  it('is returned immediately for a fixed access token', async () => {
    const state = issueTokens();
    state.refused.add('mine');
    const client = createTestClient({ accessToken: 'mine' });
    await expect(client.usage.get()).rejects.toBeInstanceOf(AuthenticationError);
    expect(state).toMatchObject({ used: ['mine'], issued: 0 });
  });

  it('of the token request is not retried, and the next call requests a token again', async () => {
    issueTokens();
    const refuse = () => {
      calls++;
      return failure(401, 'UNAUTHORIZED');
    };
    let calls = 0;
    server.use(http.post(`${api}/auth/token`, refuse, { once: true }));
    const client = createTestClient(credentials);
    const [first, second] = await Promise.allSettled([client.usage.get(), client.urls.delete(8)]);
    const reason = { name: 'AuthenticationError', status: 401, attempts: 1 };
    expect(first).toMatchObject({ reason: { ...reason, path: '/api/v1/usage' } });
    expect(second).toMatchObject({ reason: { ...reason, path: '/api/v1/urls/8' } });
    expect(calls).toBe(1);
    await expect(client.usage.get()).resolves.toEqual(usage);
  });
});

describe('a token request', () => {
  it('continues for the other waiting calls when one is aborted', async () => {
    const state = issueTokens();
    const controller = new AbortController();
    const client = createTestClient({
      ...credentials,
      hooks: {
        onRequest: ({ path }) => {
          if (path.endsWith('/token')) controller.abort();
        },
      },
    });
    const [aborted, served] = await Promise.allSettled([
      client.usage.get({}, { signal: controller.signal }),
      client.usage.get(),
    ]);
    expect(aborted).toMatchObject({ status: 'rejected', reason: { name: 'AbortError' } });
    expect(served).toMatchObject({ status: 'fulfilled', value: usage });
    expect(state.issued).toBe(1);
  });

  it('times out like one attempt', async () => {
    const client = createTestClient({
      ...credentials,
      maxRetries: 0,
      deadlineMs: 9000,
      timeoutMs: 4000,
      fetch: () => {
        queueMicrotask(() => client.ports.advance(4000));
        return new Promise(() => {});
      },
    });
    await expect(client.usage.get()).rejects.toBeInstanceOf(TimeoutError);
    expect(client.ports.running).toBe(0);
  });

  it.each([{ accessToken: 7, expiresIn: 60 }, { accessToken: 'x' }])(
    'does not take %j for a token',
    async (data) => {
      server.use(http.post(`${api}/auth/token`, () => success(data)));
      await expect(createTestClient(credentials).usage.get()).rejects.toMatchObject({
        ...{ name: 'UnexpectedResponseError', status: 200, requestId: 'req-1' },
        message: expect.stringContaining('returned no token'),
      });
    },
  );
});
