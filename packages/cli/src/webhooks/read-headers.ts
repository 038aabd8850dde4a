import { UsageError } from '../cli-error.js';
import type { Context } from '../context.js';
import { readBytes } from '../read-input.js';

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
    const [, name = '', variable, path] = /^([^=]+)=(?:env:(.*)|@(.*))$/s.exec(source) ?? [];
    const place = variable ?? (path === '-' ? 'stdin' : path);
    if (place === undefined) {
      // The text may contain a secret, so the message has only the part before the source.
      const shown = /^[\w-]+/.exec(source)?.[0] ?? '';
      throw new UsageError(
        `--header ${shown}: must have the form Name=env:VARIABLE or Name=@file`,
        'other processes can read the arguments of a command, so they contain no secrets',
      );
    }
    const value =
      variable === undefined
        ? (await readBytes(context, path ?? '')).toString('utf8').trim()
        : context.io.env[variable];
    const missing = variable === undefined ? 'is empty' : 'is no environment variable';
    if (!value) throw new UsageError(`--header ${name}: ${place} ${missing}`);
    if (/[\r\n]/.test(value)) throw new UsageError(`--header ${name}: ${place} has several lines`);
    headers[name.trim()] = value;
  }
  return headers;
}
