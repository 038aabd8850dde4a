import { http } from 'msw';
import { expect, it } from 'vitest';
import { mockApi } from '../../test/mock-api.js';
import { failure, success } from '../../test/responses.js';
import { api, createTestClient } from '../../test/test-client.js';
import { ConflictError, ValidationError } from '../errors.js';

const server = mockApi();

const id = '0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47';

it('verify waits until DNS has the record, with a new idempotency key for each check', async () => {
  const keys = new Set<string | null>();
  server.use(
    http.post(`${api}/domains/${id}/verify`, ({ request }) => {
      keys.add(request.headers.get('idempotency-key'));
      setImmediate(() => setImmediate(() => client.ports.advance(15_000)));
      return keys.size < 3 ? failure(400, 'DOMAIN_INVALID') : success({ id, isActive: true });
    }),
  );
  const client = createTestClient();
  const verified = client.domains.verify(id, { wait: true, idempotencyKey: 'mine' });
  await expect(verified).resolves.toMatchObject({ isActive: true });
  expect(keys.size).toBe(3);
  expect(client.ports.running).toBe(0);
});

it('verify does not wait after another error, beyond the deadline, or after an abort', async () => {
  server.use(http.post(`${api}/domains/${id}/verify`, () => failure(409, 'DOMAIN_CONFLICT')));
  const client = createTestClient();
  await expect(client.domains.verify(id, { wait: true })).rejects.toThrow(ConflictError);
  server.use(http.post(`${api}/domains/${id}/verify`, () => failure(400, 'DOMAIN_INVALID')));
  const short = client.domains.verify(id, { wait: true, deadlineMs: 15_000 });
  await expect(short).rejects.toThrow(ValidationError);
  server.use(
    http.post(`${api}/domains/${id}/verify`, () => {
      setImmediate(() => setImmediate(() => client.ports.advance(16_000)));
      return failure(400, 'DOMAIN_INVALID');
    }),
  );
  const late = client.domains.verify(id, { wait: true, deadlineMs: 15_001 });
  await expect(late).rejects.toThrow(/DOMAIN|answered within/);
  const controller = new AbortController();
  const reason = new Error('enough');
  server.use(
    http.post(`${api}/domains/${id}/verify`, () => {
      setImmediate(() => setImmediate(() => controller.abort(reason)));
      return failure(400, 'DOMAIN_INVALID');
    }),
  );
  const aborted = client.domains.verify(id, { wait: true, signal: controller.signal });
  await expect(aborted).rejects.toBe(reason);
});
