import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openDispatcher } from './open-dispatcher.js';
import { receiver } from './receiver.js';

const guide = readFileSync(new URL('../../../../docs/webhooks.md', import.meta.url), 'utf8');
const [, verifier = ''] = /```python\n([\s\S]*?)```/.exec(guide) ?? [];

it('the Python receiver of docs/webhooks.md verifies what we send and nothing else', async () => {
  const opened = await openDispatcher();
  const hook = await receiver();
  const id = await opened.subscribe(hook.url);
  await opened.record(id);
  await opened.dispatcher().drain();
  const [got] = hook.received;
  if (!got) throw new Error('nothing has arrived');
  const headers = {
    'X-Service-Timestamp': got.headers['x-service-timestamp'],
    'X-Service-Signature': got.headers['x-service-signature'],
  };
  const now = opened.clock() / 1000;
  const run = (secret: string, body: string, at: number, sent: object = headers) =>
    execFileSync(
      'python3',
      [
        '-c',
        `${verifier}
import json, sys
secret, headers, body, now = json.load(sys.stdin)
try:
    verify(secret, headers, body.encode(), now)
    print("genuine")
except ValueError as fault:
    print(fault)`,
      ],
      { input: JSON.stringify([secret, sent, body, at]), encoding: 'utf8' },
    ).trim();
  expect(run('secret', got.body, now)).toBe('genuine');
  expect(run('another', got.body, now)).toBe('the signature does not match');
  expect(run('secret', `${got.body} `, now)).toBe('the signature does not match');
  expect(run('secret', got.body, now + 301)).toBe('the delivery is too old');
  expect(run('secret', got.body, now, {})).toBe('the timestamp is not an integer');
  const timestamp = { 'X-Service-Timestamp': headers['X-Service-Timestamp'] };
  expect(run('secret', got.body, now, timestamp)).toBe('the signature does not match');
  const foreign = { ...headers, 'X-Service-Signature': 'sha256=ä' };
  expect(run('secret', got.body, now, foreign)).toBe('the signature does not match');
  const next = { ...foreign, 'X-Service-Signature-Next': headers['X-Service-Signature'] };
  expect(run('secret', got.body, now, next)).toBe('genuine');
});
