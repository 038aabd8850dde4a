import { createHash } from 'node:crypto';

/** Everything that makes one import the same as another. */
export interface ImportFacts {
  readonly sha256: string;
  readonly baseUrl: string;
  /** The client id, or a fixed word for access tokens, which change by the hour. */
  readonly account: string;
  readonly encoding: string;
  readonly delimiter: string;
  readonly map: ReadonlyMap<string, string>;
  readonly ignore: ReadonlySet<string> | 'all';
}

/** Names an import: the same file for the same account, read in the same way. */
export function importIdentity(facts: ImportFacts): string {
  const { sha256, baseUrl, account, encoding, delimiter, map, ignore } = facts;
  const mapping = [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  const ignored = ignore === 'all' ? 'all' : [...ignore].sort();
  return digest(
    JSON.stringify(['v1', sha256, baseUrl, account, encoding, delimiter, mapping, ignored]),
  );
}

/** The Idempotency-Key of one request of an import. */
export function chunkKey(identity: string, seed: string, index: number, payload: string): string {
  return digest(JSON.stringify([identity, seed, index, payload]));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
