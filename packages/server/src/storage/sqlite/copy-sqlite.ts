import SqliteHandle from 'better-sqlite3';

// Another process may just be switching the file to WAL, or recovering it.
const openWaitMs = 5_000;

/**
 * Copies a database as it is at one moment, whoever reads and writes it meanwhile, into a file that
 * does not exist yet. In one statement: a copy page by page would begin again with every write.
 */
export function copySqlite(from: string, to: string): void {
  const handle = new SqliteHandle(from, { fileMustExist: true, timeout: openWaitMs });
  try {
    handle.prepare('vacuum into ?').run(to);
  } finally {
    handle.close();
  }
}

/** What is wrong with a database that nobody else has open; empty when it is sound. */
export function findFaults(path: string): string[] {
  const handle = new SqliteHandle(path, { fileMustExist: true });
  try {
    const told = handle.pragma('integrity_check') as { integrity_check: string }[];
    const orphans = handle.pragma('foreign_key_check') as { table: string; parent: string }[];
    return [
      ...told.map((row) => row.integrity_check).filter((text) => text !== 'ok'),
      ...orphans.map(({ table, parent }) => `a row of ${table} misses its row of ${parent}`),
    ];
  } finally {
    handle.close();
  }
}
