import { createGzip } from 'node:zlib';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { CellType, LinkVisits } from './visit-table.js';
import { VisitTable } from './visit-table.js';

export const formats = ['parquet', 'ndjson'] as const;
export type Format = (typeof formats)[number];

/** A file of visits in memory. */
export interface VisitFile {
  readonly visits: number;
  /** The bytes of the visits that are encoded already. */
  readonly bytes: number;
  add(visits: LinkVisits): Promise<void>;
  /** Returns the content. Must be the last call. */
  finish(): Promise<Uint8Array>;
}

export const extensions: Readonly<Record<Format, string>> = {
  parquet: 'parquet',
  ndjson: 'ndjson.gz',
};

export function createVisitFile(format: Format, hasKeys: boolean): VisitFile {
  const table = new VisitTable(hasKeys);
  return format === 'parquet' ? parquetFile(table) : ndjsonFile(table);
}

// Visits whose columns are encoded together. They take 30 MB of memory.
const visitsPerGroup = 100_000;

// The elements of the schema are those of Parquet's specification. DuckDB reads the time without a time
// zone, and ClickHouse in UTC, so that days of the warehouse are days in UTC whatever its zone is.
const elements = {
  timestamp: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS', repetition_type: 'REQUIRED' },
  integer: { type: 'INT64', repetition_type: 'REQUIRED' },
  boolean: { type: 'BOOLEAN', repetition_type: 'REQUIRED' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
  key: { type: 'INT64', converted_type: 'UINT_64', repetition_type: 'OPTIONAL' },
} as const satisfies Record<CellType, object>;

function parquetFile(table: VisitTable): VisitFile {
  const bytes = new ByteWriter();
  const columns = table.columns.map(({ name, type }) => ({ name, ...elements[type] }));
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [{ name: 'visits', num_children: columns.length }, ...columns],
    createdBy: 'shorty',
  });
  let written = 0;
  const flush = () => {
    const columnData = table.columns.map(({ name, type, cells }) => ({
      name,
      data: type === 'integer' ? cells.map((cell) => BigInt(cell as number)) : cells,
    }));
    writer.write({ columnData, rowGroupSize: visitsPerGroup });
    written += table.length;
    table.clear();
  };
  return {
    get visits() {
      return written + table.length;
    },
    get bytes() {
      return bytes.offset;
    },
    async add(visits) {
      table.add(visits);
      if (table.length >= visitsPerGroup) flush();
    },
    async finish() {
      if (table.length > 0) flush();
      writer.finish();
      return bytes.getBytes();
    },
  };
}

function ndjsonFile(table: VisitTable): VisitFile {
  const gzip = createGzip();
  const parts: Buffer[] = [];
  let bytes = 0;
  gzip.on('data', (part: Buffer) => {
    parts.push(part);
    bytes += part.length;
  });
  let written = 0;
  const flush = () =>
    new Promise<void>((resolve, reject) => {
      written += table.length;
      gzip.write(toLines(table), (error) => (error ? reject(error) : resolve()));
      table.clear();
    });
  return {
    get visits() {
      return written + table.length;
    },
    get bytes() {
      return bytes;
    },
    async add(visits) {
      table.add(visits);
      if (table.length >= visitsPerGroup) await flush();
    },
    async finish() {
      if (table.length > 0) await flush();
      await new Promise((resolve, reject) => {
        gzip.once('end', resolve).once('error', reject).end();
      });
      return Buffer.concat(parts);
    },
  };
}

function toLines({ columns, length }: VisitTable): string {
  let lines = '';
  for (let at = 0; at < length; at += 1) {
    const row: Record<string, unknown> = {};
    for (const { name, type, cells } of columns) {
      const cell = cells[at];
      if (type === 'timestamp') row[name] = new Date(cell as number).toISOString();
      // Readers of JSON round larger numbers than 2⁵³.
      else row[name] = typeof cell === 'bigint' ? String(cell) : cell;
    }
    lines += `${JSON.stringify(row)}\n`;
  }
  return lines;
}
