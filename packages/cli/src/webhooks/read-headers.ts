import { UsageError } from '../cli-error.js';
import type { Context } from '../context.js';
import { readInput } from '../read-input.js';

/** The help text on headers. Their values are never arguments, because other processes can read these. */
export const headerHelp = `Values of headers are secrets, so they come from a file, from the environment
or from stdin: --header Authorization=env:CRM_TOKEN --header X-Key=@key.txt
--header X-Other=@-`;

/** Returns the headers of the options, or undefined when no option was set. */
export async function readHeaders(
  context: Context,
  sources: readonly string[] = [],
): Promise<Record<string, string> | undefined> {
  if (sources.length === 0) return undefined;
  const headers: Record<string, string> = {};
  for (const source of sources) {
    const [, name = '', kind, from = ''] = /^([^=]+)=(env:|@)(.*)$/s.exec(source) ?? [];
    if (kind === undefined) {
      // The text may contain a secret, so the message has only the part before the source.
      const shown = /^[\w-]+/.exec(source)?.[0] ?? '';
      throw new UsageError(
        `--header ${shown}: must have the form Name=env:VARIABLE or Name=@file`,
        'other processes can read the arguments of a command, so they contain no secrets',
      );
    }
    headers[name.trim()] = await readValue(context, name, kind, from);
  }
  return headers;
}

async function readValue(
  context: Context,
  name: string,
  kind: string,
  from: string,
): Promise<string> {
  if (kind === 'env:') {
    const value = context.io.env[from];
    if (value) return value;
    throw new UsageError(`--header ${name}: the environment variable ${from} is not set`);
  }
  const value = (await readInput(context, from)).toString('utf8').trim();
  const source = from === '-' ? 'stdin' : from;
  if (value === '') throw new UsageError(`--header ${name}: ${source} is empty`);
  if (/[\r\n]/.test(value)) throw new UsageError(`--header ${name}: ${source} has several lines`);
  return value;
}
