import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from './cli-error.js';
import type { Io } from './io.js';

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
