import { readConfig } from '../config.js';
import { openStorage } from '../storage/open-storage.js';

export async function migrate(): Promise<void> {
  const database = openStorage(readConfig(process.env));
  try {
    const applied = await database.migrate();
    process.stdout.write(
      applied.length === 0
        ? 'The database is up to date.\n'
        : applied.map((name) => `Applied ${name}.\n`).join(''),
    );
  } finally {
    await database.close();
  }
}
