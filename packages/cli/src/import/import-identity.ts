import { createHash } from 'node:crypto';

/** The properties that identify an import. */
export interface ImportFacts {
  readonly sha256: string;
  readonly baseUrl: string;
  /** The client id, or a fixed word for access tokens, which expire after an hour. */
  readonly account: string;
  readonly encoding: string;
  readonly delimiter: string;
  readonly hasHeader: boolean;
  readonly map: ReadonlyMap<string, string>;
  readonly ignore: ReadonlySet<string> | 'all';
  /** What else changes the links of the same file. */
  readonly variant?: unknown;
}

/** Returns the id of an import. It depends on the file, the account and the parsing options. */
export function importIdentity(facts: ImportFacts): string {
  const { sha256, baseUrl, account, encoding, delimiter, hasHeader, map, ignore, variant } = facts;
  const mapping = [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  const ignored = ignore === 'all' ? 'all' : [...ignore].sort();
  const parts = ['v1', sha256, baseUrl, account, encoding, delimiter, mapping, ignored];
  const more = [...(hasHeader ? [] : ['no header']), ...(variant === undefined ? [] : [variant])];
  return digest(JSON.stringify([...parts, ...more]));
}

/** The parts of an idempotency key that identify a request of an import. */
export interface ChunkRequest {
  readonly seed: string;
  readonly index: number;
  /** The digest of the chunk's items. */
  readonly payload: string;
  /** The number of earlier requests for rows of this chunk. */
  readonly attempt: number;
  /** The rows of a later attempt, by their index in the file. The first one sends the whole chunk. */
  readonly rows: readonly number[];
}

/** Returns the Idempotency-Key of one request of an import. */
export function chunkKey(identity: string, request: ChunkRequest): string {
  const { seed, index, payload, attempt, rows } = request;
  const parts = [identity, seed, index, payload];
  return digest(JSON.stringify(attempt === 0 ? parts : [...parts, attempt, rows]));
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
