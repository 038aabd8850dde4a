import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type Conf from 'conf';
import { CliError } from './cli-error.js';
import type { Io } from './io.js';

/** The stored settings for one server and its credentials. */
export interface Profile {
  baseUrl?: string;
  apiKey?: string;
  clientId?: string;
  clientSecret?: string;
}

export interface ConfigContent {
  /** The profile to use when neither a flag nor the environment names one. */
  profile?: string;
  profiles: Record<string, Profile>;
}

/** The JSON file of profiles, which only its owner can read. */
export class ConfigFile {
  readonly path: string;
  readonly #folder: string;

  constructor(io: Pick<Io, 'env' | 'homeDirectory' | 'platform'>) {
    this.#folder = configFolder(io);
    this.path = join(this.#folder, 'config.json');
  }

  async read(): Promise<ConfigContent> {
    // conf would create the file and its folder.
    if (!existsSync(this.path)) return { profiles: {} };
    try {
      const { profiles = {}, ...content } = (await this.#open()).store;
      return { ...content, profiles };
    } catch (error) {
      throw this.#failure('read', 'correct it, or delete it and run shorty login', error);
    }
  }

  async write(content: ConfigContent): Promise<void> {
    await createPrivateFolder(this.#folder, 'SHORTY_CONFIG_DIR');
    try {
      (await this.#open()).store = content;
    } catch (error) {
      throw this.#failure(
        'written',
        'check the permissions of its folder, or set SHORTY_CONFIG_DIR to another folder',
        error,
      );
    }
  }

  // A dynamic import, because conf takes as long to load as all other modules of a command.
  async #open(): Promise<Conf<Partial<ConfigContent>>> {
    const { default: Conf } = await import('conf');
    return new Conf({ cwd: this.#folder, configName: 'config', configFileMode: 0o600 });
  }

  #failure(verb: string, hint: string, cause: unknown): CliError {
    const reason = (cause as Error).message;
    return new CliError(`the configuration file ${this.path} cannot be ${verb}: ${reason}`, {
      ...{ code: 'CONFIG', hint, cause },
    });
  }
}

type Environment = Pick<Io, 'env' | 'homeDirectory' | 'platform'>;

/** The folder of the configuration file. `SHORTY_CONFIG_DIR` overrides the default. */
export function configFolder({ env, homeDirectory, platform }: Environment): string {
  if (env.SHORTY_CONFIG_DIR) return env.SHORTY_CONFIG_DIR;
  if (platform === 'win32' && env.APPDATA) return join(env.APPDATA, 'shorty');
  return join(env.XDG_CONFIG_HOME || join(homeDirectory, '.config'), 'shorty');
}

/** The folder of the journals of imports. `SHORTY_STATE_DIR` overrides the default. */
export function stateFolder({ env, homeDirectory, platform }: Environment): string {
  if (env.SHORTY_STATE_DIR) return env.SHORTY_STATE_DIR;
  if (platform === 'win32' && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, 'shorty');
  return join(env.XDG_STATE_HOME || join(homeDirectory, '.local', 'state'), 'shorty');
}

/** Creates a folder with mode 0700, and its parents. An existing folder keeps its mode. */
export async function createPrivateFolder(path: string, variable: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new CliError(`the folder ${path} cannot be created: ${(error as Error).message}`, {
      hint: `check the permissions of its parent, or set ${variable} to another folder`,
      cause: error,
    });
  }
}
