import type { ServerOptions } from '@shorty/server';
import { afterAll } from 'vitest';
import { startApiServer } from './api-server.js';
import { BuiltShorty } from './built-shorty.js';

/** Starts a server, and the CLI that is signed in to it by its environment, for the tests of a file. */
export async function startSignedInShorty(options?: ServerOptions) {
  const server = await startApiServer(options);
  const shorty = await BuiltShorty.build(server.env);
  afterAll(async () => {
    await shorty.remove();
    await server.stop();
  });
  return { server, shorty };
}
