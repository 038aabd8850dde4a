import { beforeEach, expect, it, vi } from 'vitest';
import type { GuardedFetch } from '../../src/network/guarded-fetch.js';
import { signAndSend } from '../../src/webhooks/sign-and-send.js';
import { type Opened, openDispatcher } from './open-dispatcher.js';

let opened: Opened;
beforeEach(async () => {
  opened = await openDispatcher();
});

it('an attempt at a misbehaving receiver has 5 s to respond', async () => {
  const { database } = opened.stored;
  const id = await opened.subscribe('https://receiver.example/');
  await opened.record(id);
  const [delivery] = await opened.claim([id]);
  if (!delivery) throw new Error('nothing was claimed');
  const request = vi.fn(async () => ({ status: 204, body: new Uint8Array() }));
  await signAndSend(delivery, {
    fetch: { request, close: () => {} } as unknown as GuardedFetch,
    schedule: [],
    clock: opened.clock,
    keyring: database.keyring,
  });
  const options = expect.objectContaining({ timeoutMs: 5_000 });
  expect(request).toHaveBeenCalledWith('https://receiver.example/', options);
});
