import { once } from 'node:events';
import { get, type IncomingMessage, type RequestOptions } from 'node:http';
import { text } from 'node:stream/consumers';
import { readConfig } from '../../config.js';
import { ConfigError } from '../../config-error.js';
import type { ListenAddress } from '../../network/listen-address.js';
import { print } from './print.js';

const timeoutMs = 3_000;

/** Requests `/health/ready` from the server that runs with these settings. */
export async function health(): Promise<void> {
  const { adminListen, host, port } = readConfig(process.env);
  const target = targetOf(adminListen ?? { host, port });
  const request = get({ ...target, path: '/health/ready', timeout: timeoutMs });
  request.once('timeout', () => {
    request.destroy(new Error(`no response within ${timeoutMs} ms`));
  });
  const [response] = (await once(request, 'response').catch((cause: Error) => {
    throw new ConfigError(
      `no server responds (${cause.message}): start it, or run the command with the settings of the server`,
    );
  })) as [IncomingMessage];
  const body = await text(response);
  print(response.statusCode === 200 ? 'ready' : `not ready: ${response.statusCode} ${body}`);
  if (response.statusCode !== 200) process.exitCode = 1;
}

function targetOf(address: ListenAddress): RequestOptions {
  if ('path' in address) return { socketPath: address.path };
  // A server that listens on every address also listens on loopback.
  const loopback: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  return { host: loopback[address.host] ?? address.host, port: address.port };
}
