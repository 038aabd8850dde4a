import { v7 as newUuid } from 'uuid';
import { repairQuarantineFile } from '../../analytics/ingest/repair-quarantine.js';
import { VisitRepository } from '../../analytics/ingest/visit-repository.js';
import { describeJournals, journalRootOf } from '../../analytics/journal/journal-folder.js';
import { openQuarantine, readLines, writeLines } from '../../analytics/journal/quarantine.js';
import { readConfig } from '../../config.js';
import { ConfigError } from '../../config-error.js';
import { EventOutbox } from '../../events/event-outbox.js';
import { formatCount } from '../../format-count.js';
import { requireDatabaseFile } from '../../storage/locate-database.js';
import { withDatabase } from './open-database.js';
import { print } from './print.js';

/** Lists the journals, and the lines in their quarantine. */
export function inspect({ json }: { readonly json?: boolean }): void {
  const root = requireRoot();
  const journals = describeJournals(root);
  const quarantined = openQuarantine(root)
    .files()
    .flatMap((file) => readLines(file).map(({ reason, bytes }) => ({ file, reason, bytes })));
  if (json) {
    print(JSON.stringify({ folder: root, journals, quarantined }));
    return;
  }
  print(`Journals in ${root}`);
  for (const { writerId, isRunning, segments, bytes } of journals) {
    const state = isRunning ? 'of a running server' : 'waits for the next start';
    print(
      `${writerId}  ${formatCount(segments, 'segment')}, ${formatCount(bytes, 'byte')}, ${state}`,
    );
  }
  if (journals.length === 0) print('There are none: every line is in the database.');
  print(`Quarantine: ${formatCount(quarantined.length, 'line')}.`);
  for (const { file, reason, bytes } of quarantined) {
    const content = Buffer.from(bytes, 'base64');
    const start = JSON.stringify(content.toString('latin1', 0, previewBytes));
    print(`${reason}, ${formatCount(content.length, 'byte')}: ${start}  (${file})`);
  }
}

/** Stores the lines of the quarantine that can be stored now. `discard` deletes the others. */
export async function repair({ discard }: { readonly discard?: boolean }): Promise<void> {
  const config = readConfig(process.env);
  const quarantine = openQuarantine(requireRoot());
  let stored = 0;
  await withDatabase(async (database) => {
    const outbox = new EventOutbox(database, { newId: newUuid });
    const visits = new VisitRepository(database, { outbox, thresholds: config.thresholds });
    for (const file of quarantine.files()) {
      stored += await repairQuarantineFile(visits, file, Date.now);
    }
  });
  print(`Stored ${formatCount(stored, 'line')}.`);
  const remaining = quarantine.count();
  if (remaining === 0) return;
  if (discard) {
    for (const file of quarantine.files()) writeLines(file, []);
    print(`Deleted ${formatCount(remaining, 'line')}.`);
    return;
  }
  print(
    `${formatCount(remaining, 'line')} cannot be stored: see shorty-server journal inspect, and delete them with --discard.`,
  );
  process.exitCode = 1;
}

const previewBytes = 120;

function requireRoot(): string {
  const config = readConfig(process.env);
  requireDatabaseFile(config.databaseUrl);
  const root = journalRootOf(config);
  if (root !== undefined) return root;
  throw new ConfigError('SHORTY_DATABASE_URL is :memory:, which has no journal after the server');
}
