import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Database } from '../../src/storage/database.js';

/** Returns the rows of all tables that contain a text, in which bytes are texts, too. */
export async function rowsWith(database: Database, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const { name } of await database.read.introspection.getTables()) {
    const { rows } = await sql<Record<string, unknown>>`
      select * from ${sql.table(name)}`.execute(database.read);
    for (const row of rows) {
      const cells = Object.values(row).map((cell) =>
        cell instanceof Uint8Array ? Buffer.from(cell).toString('latin1') : String(cell),
      );
      if (cells.join('\n').includes(text)) found.push(`${name}: ${cells.join()}`.slice(0, 300));
    }
  }
  return found;
}

/** Returns the paths of the files below a folder that contain a text. */
export function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => readFileSync(path, 'latin1').includes(text));
}
