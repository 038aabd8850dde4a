import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { proposeUrl } from '@shorty/import';
import { CliError, exitCodes, UsageError } from './cli-error.js';
import type { Context } from './context.js';
import type { Io } from './io.js';

/** Prompts on stderr, because stdout is for data. */
export async function ask(question: string, io: Io): Promise<string> {
  return (await readLine(question, io, io.stderr)).trim();
}

/** Prompts without echoing the input. */
export async function askHidden(question: string, io: Io): Promise<string> {
  io.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const answer = await readLine('', io, silent);
  io.stderr.write('\n');
  return answer;
}

async function readLine(question: string, io: Io, output: Writable): Promise<string> {
  const terminal = io.stdin.isTTY === true;
  const reader = createInterface({ input: io.stdin, output, terminal });
  try {
    return await Promise.race([
      reader.question(question, { signal: io.interrupt }),
      // The input ends with Ctrl-D.
      once(reader, 'close').then(() => reader.line),
    ]);
  } catch (error) {
    // Readline turns Ctrl-C into an AbortError.
    if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
    io.stderr.write('\n');
    throw interrupted();
  } finally {
    reader.close();
  }
}

/** Reads a secret: on a terminal after a question, otherwise from the first line of stdin. */
export async function readSecret(
  { io, isInteractive }: { readonly io: Io; readonly isInteractive: boolean },
  question: string,
): Promise<string> {
  if (isInteractive) return askHidden(question, io);
  const input = await text(io.stdin);
  return input.split(/\r?\n/, 1)[0]?.trim() ?? '';
}

export function interrupted(): CliError {
  return new CliError('interrupted', { exitCode: exitCodes.interrupted, code: 'INTERRUPTED' });
}

/** Returns the URL. Offers a scheme if it has none: asks on a terminal, and throws otherwise. */
export async function offerScheme(url: string, name: string, context: Context): Promise<string> {
  const proposal = proposeUrl(url);
  if (proposal === undefined) return url;
  if (context.isInteractive) {
    const answer = await ask(`${url} has no scheme. Use ${proposal}? [Y/n] `, context.io);
    if (/^(y|yes|)$/i.test(answer)) return proposal;
  }
  throw new UsageError(
    `${name} ${JSON.stringify(url)} must start with http:// or https://`,
    `use ${proposal}`,
  );
}
