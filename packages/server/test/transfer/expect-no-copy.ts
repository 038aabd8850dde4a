import { expect } from 'vitest';
import { journalRootOf } from '../../src/analytics/journal/journal-folder.js';
import type { TestServer } from '../api/start-server.js';
import { filesWith } from '../storage/rows-with.js';

/** Checks that journals do not contain a text after the stop of their server. */
export async function expectNoCopyInJournals(
  api: TestServer,
  databaseUrl: string,
  text: string,
): Promise<void> {
  await api.stop();
  const root = journalRootOf({ databaseUrl, journalFolder: '' }) as string;
  expect(filesWith(root, text)).toEqual([]);
}
