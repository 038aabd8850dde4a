import { type ClientOptions, Shorty } from '@shorty/sdk';
import { ConfigFile } from './config-file.js';
import type { Io } from './io.js';
import { type FormatFlags, Output, type OutputOptions } from './output.js';
import {
  type OperatorSignIn,
  requireCredentials,
  requireOperatorKey,
  resolveSettings,
  type SettingFlags,
  type Settings,
} from './settings.js';
import { TokenCache } from './token-cache.js';

/** The dependencies of a command. Reads files and connects to the server on demand only. */
export interface Context {
  readonly io: Io;
  readonly output: Output;
  readonly config: ConfigFile;
  readonly flags: SettingFlags & FormatFlags;
  /** True when the command can prompt the user. */
  readonly isInteractive: boolean;
  settings(): Promise<Settings>;
  client(options?: ClientOptions): Promise<Shorty>;
  /** Returns a client that sends the operator key. */
  operator(signIn?: OperatorSignIn): Promise<Shorty>;
}

export function createContext(
  io: Io,
  flags: SettingFlags & FormatFlags,
  outputOptions: OutputOptions,
): Context {
  const config = new ConfigFile(io);
  const settings = async () => resolveSettings(flags, io.env, await config.read());
  return {
    io,
    config,
    flags,
    output: new Output(io, outputOptions),
    isInteractive: io.stdin.isTTY === true && io.stderr.isTTY === true,
    settings,
    client: async ({ fetch: baseFetch = io.fetch, ...options } = {}) => {
      const resolved = await settings();
      const credentials = requireCredentials(resolved);
      const baseUrl = resolved.baseUrl.value;
      const fetch =
        'clientId' in credentials
          ? new TokenCache(io, { baseUrl, ...credentials }).wrap(baseFetch)
          : baseFetch;
      return new Shorty({
        baseUrl,
        ...credentials,
        fetch,
        timeoutMs: flags.timeout === undefined ? undefined : flags.timeout * 1000,
        ...options,
      });
    },
    operator: async (signIn) => {
      const { baseUrl, operatorKey } = signIn ?? requireOperatorKey(await settings());
      return new Shorty({
        baseUrl,
        accessToken: operatorKey,
        fetch: io.fetch,
        timeoutMs: flags.timeout === undefined ? undefined : flags.timeout * 1000,
      });
    },
  };
}
