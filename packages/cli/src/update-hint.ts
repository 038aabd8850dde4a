import { spawn } from 'node:child_process';
import { mkdir, open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { stateFolder } from './app-folders.js';
import { systemErrorCode } from './cli-error.js';
import { type Io, isRichTerminal, lineWidth } from './io.js';
import { wrapText } from './text-width.js';
import { version } from './version.js';

const dayMs = 24 * 60 * 60_000;

/**
 * Prints a hint if a newer version is known, and looks for one in the background for the next hint.
 * Does both at most once a day, and only on a terminal. `module` is the URL of the running program: a
 * clone of the repository gets no hint.
 */
export async function showUpdateHint(io: Io, module: string): Promise<void> {
  const { SHORTY_NO_UPDATE_HINT, NO_UPDATE_NOTIFIER } = io.env;
  if (SHORTY_NO_UPDATE_HINT || NO_UPDATE_NOTIFIER || !isRichTerminal(io.stderr, io.env)) return;
  if (!module.includes('/node_modules/')) return;
  const folder = stateFolder(io);
  const file = join(folder, 'latest-version');
  try {
    if (io.now() - (await writtenAt(file)) < dayMs) return;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const output = await open(file, 'a+', 0o600);
    try {
      const latest = (await readFile(file, 'utf8')).trim();
      if (isNewer(latest)) {
        const hint = `shorty ${latest} is available, this is ${version}; SHORTY_NO_UPDATE_HINT=1 hides this`;
        io.stderr.write(`${wrapText(hint, lineWidth(io.stderr))}\n`);
      }
      await output.truncate();
      // Emptying an empty file does not change its time.
      await output.utimes(io.now() / 1000, io.now() / 1000);
      startLookup(io, folder, output.fd);
    } finally {
      await output.close();
    }
  } catch (error) {
    // Without a writable folder there is no hint.
    if (systemErrorCode(error) === undefined) throw error;
  }
}

async function writtenAt(file: string): Promise<number> {
  try {
    return (await stat(file)).mtimeMs;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

/** Starts npm, which is configured with the user's registry and proxy. Does not wait for it. */
function startLookup({ env, platform }: Io, folder: string, output: number): void {
  const limits = ['--fetch-timeout=5000', '--fetch-retries=0'];
  const child = spawn('npm', ['view', '@shorty/cli', 'version', ...limits], {
    cwd: folder,
    // npm needs no credentials.
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('SHORTY_'))),
    stdio: ['ignore', output, 'ignore'],
    detached: true,
    // On Windows, npm is a batch file.
    shell: platform === 'win32',
    windowsHide: true,
  });
  // Without npm there is no hint.
  child.on('error', () => {});
  child.unref();
}

/** Returns whether the text is a released version that is newer than this one. */
function isNewer(latest: string): boolean {
  if (!/^\d+\.\d+\.\d+$/.test(latest)) return false;
  const current = version.split('.').map((part) => Number.parseInt(part, 10));
  for (const [at, part] of latest.split('.').map(Number).entries()) {
    const difference = part - (current[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
