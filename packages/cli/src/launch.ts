import { spawn } from 'node:child_process';
import { parseUrl } from '@shorty/import';
import { CliError } from './cli-error.js';
import type { Io } from './io.js';

type Environment = Pick<Io, 'env' | 'platform'>;

/** Opens an http or https URL in the web browser. `BROWSER` overrides the program. */
export async function openInBrowser(url: string, { env, platform }: Environment): Promise<void> {
  const parsed = parseUrl(url);
  // Other schemes could start other programs.
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    throw new CliError(`${url} cannot be opened: it must be an http or https URL`);
  }
  const [program, ...args] = env.BROWSER ? [env.BROWSER] : browserOf(platform);
  if (await run(program, [...args, parsed.href], env)) return;
  throw new CliError(`${parsed.href} cannot be opened: ${program} failed`, {
    hint: 'set BROWSER to the path of a browser, or open the URL yourself',
  });
}

/**
 * Copies text with the system's clipboard program. Returns the escape sequence that asks the terminal
 * to copy it (OSC 52) if there is no such program, for example over SSH.
 */
export async function copyText(text: string, { env, platform }: Environment): Promise<string> {
  for (const [program, ...args] of clipboardsOf(platform, env)) {
    if (await run(program, args, env, text)) return '';
  }
  return `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`;
}

type Program = readonly [string, ...string[]];

function browserOf(platform: NodeJS.Platform): Program {
  if (platform === 'darwin') return ['open'];
  // `start` would let cmd.exe interpret `&` in the URL.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}

function clipboardsOf(platform: NodeJS.Platform, env: Io['env']): Program[] {
  if (platform === 'darwin') return [['pbcopy']];
  if (platform === 'win32') return [['clip']];
  const programs: Program[] = [];
  if (env.WAYLAND_DISPLAY) programs.push(['wl-copy']);
  if (env.DISPLAY) programs.push(['xclip', '-selection', 'clipboard']);
  return programs;
}

/** Runs a program without output. Returns whether it could be started and exited with 0. */
function run(
  program: string,
  args: readonly string[],
  env: Io['env'],
  input = '',
): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env, stdio: ['pipe', 'ignore', 'ignore'] });
    child.on('error', () => resolve(false)).on('exit', (code) => resolve(code === 0));
    // A program that does not read its input may exit before the write.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
