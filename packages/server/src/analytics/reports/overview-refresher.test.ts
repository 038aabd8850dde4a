import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { unlessAborted } from './overview-refresher.js';

it('leaves no listeners on the signal of its service', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  for (let work = 0; work < 20; work++) await unlessAborted(Promise.resolve(), signal);
  await expect(unlessAborted(Promise.reject(new Error('fault')), signal)).rejects.toThrow('fault');
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  const ended = unlessAborted(new Promise(() => {}), signal);
  controller.abort();
  await ended;
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
