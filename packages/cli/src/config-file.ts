import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type Conf from 'conf';
import { configFolder, createPrivateFolder } from './app-folders.js';
import { CliError, systemErrorCode } from './cli-error.js';
import type { Io } from './io.js';

/** The stored settings for one server and client. */
export interface Profile {
  baseUrl?: string;
  clientId?: string;
  clientSecret?: string;
  operatorKey?: string;
}

export interface ConfigContent {
  /** The profile to use when neither a flag nor the environment names one. */
  profile?: string;
  profiles: Record<string, Profile>;
}

/** The JSON file of profiles. Only its owner can read it. Writes replace it atomically. */
export class ConfigFile {
  readonly path: string;

  constructor(io: Pick<Io, 'env' | 'homeDirectory' | 'platform'>) {
    this.path = join(configFolder(io), 'config.json');
  }

  async read(): Promise<ConfigContent> {
    let text: string;
    try {
      text = await readFile(this.path, 'utf8');
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')) return { profiles: {} };
      throw this.#unreadable(error);
    }
    return this.#parse(text);
  }

  async write(content: ConfigContent): Promise<void> {
    await createPrivateFolder(dirname(this.path), 'SHORTY_CONFIG_DIR');
    const conf = await this.#open();
    try {
      conf.store = content;
    } catch (error) {
      throw new CliError(`${this.path} cannot be written: ${(error as Error).message}`, {
        code: 'CONFIG',
        hint: 'check the permissions of its folder, or set SHORTY_CONFIG_DIR to another folder',
        cause: error,
      });
    }
  }

  // A dynamic import, because conf takes as long to load as all other modules of a command. Only
  // commands that write need it.
  async #open(): Promise<Conf<ConfigContent>> {
    const { default: Conf } = await import('conf');
    try {
      return new Conf<ConfigContent>({
        cwd: dirname(this.path),
        configName: 'config',
        fileExtension: 'json',
        configFileMode: 0o600,
        accessPropertiesByDotNotation: false,
        serialize: (content) => `${JSON.stringify(content, null, 2)}\n`,
        deserialize: (text) => this.#parse(text),
      });
    } catch (error) {
      throw error instanceof CliError ? error : this.#unreadable(error);
    }
  }

  #unreadable(cause: unknown): CliError {
    return new CliError(`${this.path} cannot be read: ${(cause as Error).message}`, {
      code: 'CONFIG',
      hint: 'check its permissions, or set SHORTY_CONFIG_DIR to another folder',
      cause,
    });
  }

  #parse(text: string): ConfigContent {
    let content: unknown;
    try {
      content = JSON.parse(text);
    } catch (error) {
      throw this.#invalid((error as Error).message, error);
    }
    if (!isRecord(content)) throw this.#invalid('the file must contain a JSON object');
    const { profile, profiles = {} } = content;
    if (profile !== undefined && typeof profile !== 'string') {
      throw this.#invalid('"profile" must be a string');
    }
    if (!isRecord(profiles)) throw this.#invalid('"profiles" must be an object');
    const checked: Record<string, Profile> = {};
    for (const [name, value] of Object.entries(profiles)) {
      if (!isRecord(value) || !Object.values(value).every((part) => typeof part === 'string')) {
        throw this.#invalid(`profile ${JSON.stringify(name)} must be an object of strings`);
      }
      checked[name] = value as Profile;
    }
    return { ...(profile === undefined ? {} : { profile }), profiles: checked };
  }

  #invalid(reason: string, cause?: unknown): CliError {
    return new CliError(`the configuration file ${this.path} is invalid: ${reason}`, {
      code: 'CONFIG',
      hint: 'correct it, or delete it and run shorty login',
      cause,
    });
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
