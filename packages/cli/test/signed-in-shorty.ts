import type { ServerOptions } from '@shorty/server';
import { type ApiServer, startApiServer } from './api-server.js';
import { BuiltShorty } from './built-shorty.js';

export interface SignedInShorty {
  readonly server: ApiServer;
  readonly shorty: BuiltShorty;
  /** vitest calls it after the tests, if a `beforeAll` returns it. */
  readonly stop: () => Promise<void>;
}

/** Starts a server, and builds the CLI, which is signed in to it by its environment. */
export async function startSignedInShorty(options?: ServerOptions): Promise<SignedInShorty> {
  const server = await startApiServer(options);
  const shorty = await BuiltShorty.build(server.env);
  const stop = async () => {
    await shorty.remove();
    await server.stop();
  };
  return { server, shorty, stop };
}
