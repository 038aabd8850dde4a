import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { journalRootOf } from '../../src/analytics/journal/journal-folder.js';
import type { TestServer } from '../api/start-server.js';

/** Checks that journals do not contain a text after the stop of their server. */
export async function expectNoCopyInJournals(
  api: TestServer,
  databaseUrl: string,
  text: string,
): Promise<void> {
  await api.stop();
  const root = journalRootOf({ databaseUrl, journalFolder: '' }) as string;
  for (const name of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!name.isFile()) continue;
    expect(readFileSync(join(name.parentPath, name.name), 'latin1')).not.toContain(text);
  }
}
