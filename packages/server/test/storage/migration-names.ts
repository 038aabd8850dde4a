import { readdirSync } from 'node:fs';

/** The names of all migrations, in order. */
export const migrationNames = readdirSync(new URL('../../src/storage/migrations', import.meta.url))
  .filter((file) => /^\d{4}-/.test(file))
  .map((file) => file.replace('.ts', ''))
  .sort();
