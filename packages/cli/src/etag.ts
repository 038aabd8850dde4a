import type { WithResponse } from '@shorty/sdk';
import { Option } from 'commander';
import { UsageError } from './cli-error.js';

/** Returns a record with its ETag, which `--if-match` takes. */
export function withEtag<T extends object>({ data, response }: WithResponse<T>) {
  return { ...data, etag: response.etag };
}

/** The option of commands that change or delete a record. */
export function ifMatchOption(verb = 'change'): Option {
  return new Option(
    '--if-match <etag>',
    `${verb} only the version with this etag, which get prints`,
  ).argParser((text: string) => readEtag('--if-match', text));
}

/** Returns an ETag in quotes, as the API expects it. Shells remove the quotes of a copied ETag. */
export function readEtag(name: string, text: string): string {
  const [, etag] = /^"?([!#-~]+)"?$/.exec(text.trim()) ?? [];
  if (etag === undefined) {
    throw new UsageError(`${name} ${text}: must be the etag of the record`, 'get prints it');
  }
  return etag === '*' ? etag : `"${etag}"`;
}
