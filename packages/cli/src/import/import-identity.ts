import { createHash } from 'node:crypto';

/** The properties that identify an import. */
export interface ImportFacts {
  readonly sha256: string;
  readonly baseUrl: string;
  /** The client id, or a fixed word for access tokens, which expire after an hour. */
  readonly account: string;
  readonly encoding: string;
  readonly delimiter: string;
  readonly map: ReadonlyMap<string, string>;
  readonly ignore: ReadonlySet<string> | 'all';
}

/** Returns the id of an import. It depends on the file, the account and the parsing options. */
export function importIdentity(facts: ImportFacts): string {
  const { sha256, baseUrl, account, encoding, delimiter, map, ignore } = facts;
  const mapping = [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  const ignored = ignore === 'all' ? 'all' : [...ignore].sort();
  return digest(
    JSON.stringify(['v1', sha256, baseUrl, account, encoding, delimiter, mapping, ignored]),
  );
}

/** Returns the Idempotency-Key of one request of an import. */
export function chunkKey(identity: string, seed: string, index: number, payload: string): string {
  return digest(JSON.stringify([identity, seed, index, payload]));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
