import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { Keyring } from '../storage/keyring.js';
import { OpenStreams } from './open-streams.js';
import type { StreamState } from './stream-repository.js';

const stateOf = (id: string, connectionId: string): StreamState => ({
  id,
  organizationId: 'organization',
  connectionId,
  endpoint: { webhookId: id, secret: '', headers: null },
  claimable: 0,
});

it('does not end connections that were opened while the states of streams were read', async () => {
  const results: ((states: StreamState[]) => void)[] = [];
  const streams = {
    findStates: () => new Promise<StreamState[]>((resolve) => results.push(resolve)),
    claim: async () => [],
    renew: async () => {},
  };
  const open = new OpenStreams({
    streams,
    keyring: new Keyring(),
    clock: () => 0,
    maxOpen: 9,
    onError: (error) => expect.unreachable(String(error)),
  });
  const [replaced, replacing] = [new PassThrough(), new PassThrough()];
  const [added, deleted] = [new PassThrough(), new PassThrough()];
  open.start();
  onTestFinished(() => {
    for (const resolve of results) resolve([]);
    return open.stop();
  });
  open.add('one', 'first', replaced);
  open.add('deleted', 'only', deleted);
  await expect.poll(() => results.length).toBe(1);
  open.add('one', 'second', replacing);
  open.add('other', 'only', added);
  results[0]?.([stateOf('one', 'first')]);
  await expect.poll(() => results.length).toBe(2);
  const hasEnded = [replaced, replacing, added, deleted].map(
    (each) => each.writableEnded || each.destroyed,
  );
  expect(hasEnded).toEqual([true, false, false, true]);
});
