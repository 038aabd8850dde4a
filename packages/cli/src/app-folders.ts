import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from './cli-error.js';
import type { Io } from './io.js';

type Place = Pick<Io, 'env' | 'homeDirectory' | 'platform'>;

/** Where the profiles are kept. `SHORTY_CONFIG_DIR` overrides. */
export function configFolder({ env, homeDirectory, platform }: Place): string {
  if (env.SHORTY_CONFIG_DIR) return env.SHORTY_CONFIG_DIR;
  if (platform === 'win32' && env.APPDATA) return join(env.APPDATA, 'shorty');
  return join(env.XDG_CONFIG_HOME || join(homeDirectory, '.config'), 'shorty');
}

/** Where the journals of imports are kept. `SHORTY_STATE_DIR` overrides. */
export function stateFolder({ env, homeDirectory, platform }: Place): string {
  if (env.SHORTY_STATE_DIR) return env.SHORTY_STATE_DIR;
  if (platform === 'win32' && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, 'shorty');
  return join(env.XDG_STATE_HOME || join(homeDirectory, '.local', 'state'), 'shorty');
}

/** Makes a folder that only its owner can enter. */
export async function makePrivateFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new CliError(`the folder ${path} cannot be made: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
