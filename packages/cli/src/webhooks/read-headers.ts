import { readFile } from 'node:fs/promises';
import { UsageError } from '../cli-error.js';
import type { Context } from '../context.js';
import { askHidden, readInputText } from '../prompt.js';

/** The help text on headers. Their values are never arguments, because other processes can read these. */
export const headerHelp = `Values of headers are secrets, so they come from a file, from the environment
or from stdin: --header Authorization=env:CRM_TOKEN --header X-Key=@key.txt`;

const separator = /\r?\n/;

/** Returns the headers of the options, or undefined when no option was set. */
export async function readHeaders(
  context: Context,
  sources: readonly string[] = [],
  isOnStdin = false,
): Promise<Record<string, string> | undefined> {
  const headers = [
    ...(await Promise.all(sources.map((source) => readSource(source, context)))),
    ...(isOnStdin ? await readStdin(context) : []),
  ];
  return headers.length > 0 ? Object.fromEntries(headers) : undefined;
}

type Header = readonly [name: string, value: string];

async function readSource(text: string, { io }: Context): Promise<Header> {
  const split = text.indexOf('=');
  const name = text.slice(0, split).trim();
  const source = text.slice(split + 1);
  if (split > 0 && source.startsWith('env:')) {
    const variable = source.slice('env:'.length);
    const value = io.env[variable];
    if (value) return [name, value];
    throw new UsageError(`--header ${name}: the environment variable ${variable} is not set`);
  }
  if (split > 0 && source.startsWith('@')) return [name, await readValue(name, source.slice(1))];
  // The text may contain a secret, so the message has only the part before the source.
  const shown = /^[\w-]+/.exec(text)?.[0] ?? '';
  throw new UsageError(
    `--header ${shown}: must have the form Name=env:VARIABLE or Name=@file`,
    'other processes can read the arguments of a command, so they contain no secrets',
  );
}

async function readValue(name: string, path: string): Promise<string> {
  let value: string;
  try {
    value = (await readFile(path, 'utf8')).trim();
  } catch (error) {
    throw new UsageError(`--header ${name}: ${path} cannot be read: ${(error as Error).message}`);
  }
  if (value === '') throw new UsageError(`--header ${name}: ${path} is empty`);
  if (separator.test(value)) throw new UsageError(`--header ${name}: ${path} has several lines`);
  return value;
}

async function readStdin({ io, isInteractive }: Context): Promise<Header[]> {
  const text = isInteractive
    ? await askHidden("Header, as 'Name: value' (not shown): ", io)
    : await readInputText(io);
  const lines = text.split(separator).filter((line) => line.trim() !== '');
  if (lines.length === 0) throw new UsageError('--headers-stdin: stdin is empty');
  return lines.map((line, index) => {
    const split = line.indexOf(':');
    if (split > 0) return [line.slice(0, split).trim(), line.slice(split + 1).trim()];
    throw new UsageError(`--headers-stdin: line ${index + 1} must have the form 'Name: value'`);
  });
}
