import { get, type RequestOptions } from 'node:http';
import { text } from 'node:stream/consumers';
import { readConfig } from '../../config.js';
import type { ListenAddress } from '../../network/listen-address.js';

const timeoutMs = 3_000;

/** Requests `/health/ready` from the server that runs with these settings. */
export async function health(): Promise<void> {
  const { adminListen, host, port } = readConfig(process.env);
  const { status, body } = await request(adminListen ?? { host, port }, '/health/ready');
  process.stdout.write(status === 200 ? 'ready\n' : `not ready: ${status} ${body}\n`);
  if (status !== 200) process.exitCode = 1;
}

function request(
  address: ListenAddress,
  path: string,
): Promise<{ readonly status: number | undefined; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = get({ ...targetOf(address), path, timeout: timeoutMs }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    });
    outgoing.once('timeout', () => {
      const error = new Error(`the server did not respond within ${timeoutMs} ms`);
      outgoing.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
    });
    outgoing.once('error', reject);
  });
}

function targetOf(address: ListenAddress): RequestOptions {
  if ('path' in address) return { socketPath: address.path };
  // A server that listens on every address also listens on loopback.
  const loopback: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  return { host: loopback[address.host] ?? address.host, port: address.port };
}
