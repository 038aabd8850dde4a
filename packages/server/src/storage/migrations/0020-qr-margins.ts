import { type Kysely, sql } from 'kysely';
import type { Engine, Schema } from '../database.js';
import { dialects } from './dialects.js';

/** Adds the margin and the kind of background of QR codes. */
export async function qrMargins(db: Kysely<Schema>, engine: Engine): Promise<void> {
  const { text } = dialects[engine].types;
  await sql`alter table qr_codes add column margin integer not null default 4`.execute(db);
  const statement = `alter table qr_codes add column background ${text} not null default 'solid'`;
  await sql.raw(statement).execute(db);
}
