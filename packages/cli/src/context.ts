import { type ClientOptions, Shorty } from '@shorty/sdk';
import type { Command } from 'commander';
import { ConfigFile } from './config-file.js';
import type { Io } from './io.js';
import { Output, type OutputOptions } from './output.js';
import {
  type Credentials,
  type GlobalFlags,
  requireCredentials,
  requireOperatorKey,
  resolveSettings,
} from './settings.js';

/** The dependencies of a command. Reads files and connects to the server on demand only. */
export type Context = ReturnType<typeof createContext>;

export function createContext(
  io: Io,
  flags: GlobalFlags,
  program: Command,
  outputOptions: OutputOptions,
) {
  const config = new ConfigFile(io);
  const settings = async () => resolveSettings(flags, io.env, await config.read());
  const timeoutMs = flags.timeout === undefined ? undefined : flags.timeout * 1000;
  const open = async (credentials: Credentials, options: ClientOptions = {}) => {
    const baseUrl = (await settings()).baseUrl.value;
    return new Shorty({ baseUrl, fetch: io.fetch, timeoutMs, ...options, ...credentials });
  };
  const connect = async (options?: ClientOptions) =>
    open(requireCredentials(await settings()), options);
  let shared: Promise<Shorty> | undefined;
  return {
    io,
    config,
    flags,
    /** The program that runs the command. */
    program,
    /** The options of each request: Ctrl-C ends it. */
    request: { signal: io.interrupt },
    output: new Output(io, outputOptions),
    /** True when the command can prompt the user. */
    isInteractive: io.stdin.isTTY === true && io.stderr.isTTY === true,
    settings,
    /** Returns a client with these credentials. */
    open,
    /** Returns a client. Without options, all callers share one and its token. */
    client: (options?: ClientOptions) => {
      if (options) return connect(options);
      shared ??= connect();
      return shared;
    },
    /** Returns a client that sends the operator key. */
    operator: async () => open({ accessToken: requireOperatorKey(await settings(), io.env) }),
  };
}
