import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createServer } from '@shorty/server';
import { expect, onTestFinished, test } from 'vitest';

const folder = fileURLToPath(new URL('.', import.meta.url));

function start(name: string, environment: NodeJS.ProcessEnv): ChildProcess {
  const child = spawn(process.execPath, [join(folder, name)], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

async function run(name: string, environment: NodeJS.ProcessEnv) {
  const child = start(name, environment);
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  }
  await once(child, 'close');
  return { code: child.exitCode, ...output };
}

test('create-links creates, lists and pauses, and copes with a slug that it took itself', async () => {
  const server = createServer();
  await server.start();
  onTestFinished(() => server.stop());
  const { clientId, clientSecret } = server.credentials ?? {};
  const environment = {
    SHORTY_BASE_URL: server.url,
    SHORTY_CLIENT_ID: clientId,
    SHORTY_CLIENT_SECRET: clientSecret,
  };
  const first = await run('create-links.mjs', environment);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toContain(`${server.url}/node-docs → https://nodejs.org/docs/latest/api/`);
  expect(first.stdout).toMatch(/ is paused\n$/);
  const second = await run('create-links.mjs', environment);
  expect(second).toMatchObject({ code: 0, stderr: 'The slug node-docs is taken on this domain\n' });
});

test('receive-webhooks takes what send-test-webhook signs, and nothing else', async () => {
  const receiver = start('receive-webhooks.mjs', { WEBHOOK_SECRET: 'right', PORT: '0' });
  const lines = createInterface({ input: receiver.stdout as NodeJS.ReadableStream });
  const output = lines[Symbol.asyncIterator]();
  const port = /port (\d+)$/.exec((await output.next()).value)?.[1];
  const send = (secret: string) =>
    run('send-test-webhook.mjs', {
      WEBHOOK_SECRET: secret,
      RECEIVER_URL: `http://localhost:${port}`,
    });
  expect(await send('wrong')).toMatchObject({ code: 0, stdout: 'answered 401\n' });
  expect(await send('right')).toMatchObject({ code: 0, stdout: 'answered 204\n' });
  expect((await output.next()).value).toContain('url.created {"id":"42"');
});
