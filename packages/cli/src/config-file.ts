import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type Conf from 'conf';
import { configFolder, createPrivateFolder } from './app-folders.js';
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
      checkContent({ ...content, profiles });
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

/** Throws for a file that somebody has edited to something else. */
function checkContent({ profile, profiles }: { profile?: unknown; profiles: unknown }): void {
  if (profile !== undefined && typeof profile !== 'string') {
    throw new Error('"profile" must be a string');
  }
  const texts = Object.values(profiles as object).flatMap((each) => Object.values(each as object));
  if (Array.isArray(profiles) || texts.some((text) => typeof text !== 'string')) {
    throw new Error('"profiles" must be an object of objects of strings');
  }
}
