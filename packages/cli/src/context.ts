import { type ClientOptions, Shorty } from '@shorty/sdk';
import type { Command } from 'commander';
import { ConfigFile } from './config-file.js';
import type { Io } from './io.js';
import { type FormatFlags, Output, type OutputOptions } from './output.js';
import {
  type Credentials,
  requireCredentials,
  requireOperatorKey,
  resolveSettings,
  type SettingFlags,
  type Settings,
} from './settings.js';

/** The dependencies of a command. Reads files and connects to the server on demand only. */
export interface Context {
  readonly io: Io;
  readonly output: Output;
  readonly config: ConfigFile;
  readonly flags: SettingFlags & FormatFlags & { readonly jq?: string; readonly excel?: boolean };
  /** The program that runs the command. */
  readonly program: Command;
  /** The options of each request: Ctrl-C ends it. */
  readonly request: { readonly signal: AbortSignal };
  /** True when the command can prompt the user. */
  readonly isInteractive: boolean;
  settings(): Promise<Settings>;
  client(options?: ClientOptions): Promise<Shorty>;
  /** Returns a client that sends the operator key. */
  operator(): Promise<Shorty>;
}

export function createContext(
  io: Io,
  flags: Context['flags'],
  program: Command,
  outputOptions: OutputOptions,
): Context {
  const config = new ConfigFile(io);
  const settings = async () => resolveSettings(flags, io.env, await config.read());
  const timeoutMs = flags.timeout === undefined ? undefined : flags.timeout * 1000;
  const open = async (credentials: Credentials, options: ClientOptions = {}) => {
    const baseUrl = (await settings()).baseUrl.value;
    return new Shorty({ baseUrl, fetch: io.fetch, timeoutMs, ...options, ...credentials });
  };
  return {
    io,
    config,
    flags,
    program,
    request: { signal: io.interrupt },
    output: new Output(io, outputOptions),
    isInteractive: io.stdin.isTTY === true && io.stderr.isTTY === true,
    settings,
    client: async (options) => open(requireCredentials(await settings()), options),
    operator: async () => open({ accessToken: requireOperatorKey(await settings(), io.env) }),
  };
}
