import type { WithResponse } from '@shorty/sdk';
import { UsageError } from './cli-error.js';
import { type Details, defined } from './command.js';

/** Returns a record with its ETag, which `--if-match` takes, if it has one. */
export function withEtag<T extends object>({ data, response }: WithResponse<T>) {
  return { ...data, ...defined({ etag: response.etag }) };
}

/** The option `--if-match <etag>` of commands that change or delete a record. */
export function ifMatchOption(verb = 'change'): Details {
  return {
    text: `${verb} only the version with this etag, which get prints`,
    parse: (text: string) => readEtag('--if-match', text),
  };
}

/** Returns an ETag in quotes, as the API expects it. Shells remove the quotes of a copied ETag. */
export function readEtag(name: string, text: string): string {
  const [, etag] = /^"?([!#-~]+)"?$/.exec(text.trim()) ?? [];
  if (etag === undefined) {
    throw new UsageError(`${name} ${text}: must be the etag of the record`, 'get prints it');
  }
  return etag === '*' ? etag : `"${etag}"`;
}
