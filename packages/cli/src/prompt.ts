import { createInterface } from 'node:readline/promises';
import { CliError, exitCodes } from './cli-error.js';
import type { Io } from './io.js';

/** Prompts on stderr, because stdout is for data. */
export async function ask(question: string, io: Io): Promise<string> {
  const reader = createInterface({ input: io.stdin, output: io.stderr });
  try {
    return (await reader.question(question, { signal: io.interrupt })).trim();
  } catch (error) {
    // Readline turns Ctrl-C into an AbortError.
    if (!(error instanceof Error) || error.name !== 'AbortError') throw error;
    io.stderr.write('\n');
    throw interrupted();
  } finally {
    reader.close();
  }
}

/** Prompts without echoing the input. */
export async function askHidden(question: string, io: Io): Promise<string> {
  const { stdin, stderr } = io;
  stderr.write(question);
  stdin.setRawMode?.(true);
  stdin.setEncoding('utf8');
  try {
    return await readHiddenLine(stdin);
  } finally {
    stdin.setRawMode?.(false);
    stdin.pause();
    stderr.write('\n');
  }
}

function readHiddenLine(stdin: Io['stdin']): Promise<string> {
  return new Promise((resolve, reject) => {
    let typed = '';
    const finish = (settle: () => void) => {
      stdin.off('data', onData).off('end', onEnd);
      settle();
    };
    const onEnd = () => finish(() => resolve(typed));
    const onData = (text: string) => {
      for (const char of text) {
        if (char === '\r' || char === '\n' || char === '\u0004') return onEnd();
        // In raw mode Ctrl-C arrives as a character.
        if (char === '\u0003') return finish(() => reject(interrupted()));
        if (char === '\u007f' || char === '\b') typed = [...typed].slice(0, -1).join('');
        else if (char >= ' ') typed += char;
      }
    };
    stdin.on('data', onData).on('end', onEnd);
    stdin.resume();
  });
}

/** Reads a secret: on a terminal after a question, otherwise from the first line of stdin. */
export async function readSecret(
  { io, isInteractive }: { readonly io: Io; readonly isInteractive: boolean },
  question: string,
): Promise<string> {
  if (isInteractive) return askHidden(question, io);
  let text = '';
  for await (const chunk of io.stdin) {
    text += String(chunk);
    if (text.length > 64 * 1024) throw new CliError('the secret on stdin must be at most 64 KB');
  }
  return text.split(/\r?\n/, 1)[0]?.trim() ?? '';
}

export function interrupted(): CliError {
  return new CliError('interrupted', { exitCode: exitCodes.interrupted, code: 'INTERRUPTED' });
}
