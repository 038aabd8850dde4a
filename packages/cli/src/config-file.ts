import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { configFolder, makePrivateFolder } from './app-folders.js';
import { CliError, systemErrorCode } from './cli-error.js';
import type { Io } from './io.js';

/** What is kept for one server and account. */
export interface Profile {
  baseUrl?: string;
  clientId?: string;
  clientSecret?: string;
}

export interface ConfigContent {
  /** The profile that is used when none is named. */
  profile?: string;
  profiles: Record<string, Profile>;
}

/** The file of profiles: JSON, readable by its owner alone, replaced in one step. */
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
      if (systemErrorCode(error) === 'ENOENT') return { profiles: {} };
      throw new CliError(`${this.path} cannot be read: ${(error as Error).message}`, {
        code: 'CONFIG',
        cause: error,
      });
    }
    return this.#parse(text);
  }

  async write(content: ConfigContent): Promise<void> {
    await makePrivateFolder(dirname(this.path));
    const draft = `${this.path}.${randomUUID()}`;
    await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, this.path);
  }

  #parse(text: string): ConfigContent {
    let content: unknown;
    try {
      content = JSON.parse(text);
    } catch (error) {
      throw this.#damaged((error as Error).message, error);
    }
    if (!isRecord(content)) throw this.#damaged('it holds no object');
    const { profile, profiles = {} } = content;
    if (profile !== undefined && typeof profile !== 'string') {
      throw this.#damaged('"profile" is no text');
    }
    if (!isRecord(profiles)) throw this.#damaged('"profiles" is no object');
    const checked: Record<string, Profile> = {};
    for (const [name, value] of Object.entries(profiles)) {
      if (!isRecord(value) || !Object.values(value).every((part) => typeof part === 'string')) {
        throw this.#damaged(`the profile ${JSON.stringify(name)} holds something else than texts`);
      }
      checked[name] = value as Profile;
    }
    return { ...(profile === undefined ? {} : { profile }), profiles: checked };
  }

  #damaged(why: string, cause?: unknown): CliError {
    return new CliError(`the configuration file ${this.path} is damaged: ${why}`, {
      code: 'CONFIG',
      hint: 'mend it, or remove it and sign in again with shorty login',
      cause,
    });
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
