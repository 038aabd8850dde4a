import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readConfig } from '../../config.js';
import { formatCount } from '../../format-count.js';
import { readPlans } from '../../organizations/plans.js';
import { unlockSecrets } from '../../storage/secrets.js';
import { moveIntoPlace, requireNewPaths, withScratchFolder } from '../backup/move-into-place.js';
import { exportOrganization } from '../transfer/export-organization.js';
import { importOrganization } from '../transfer/import-organization.js';
import { fromCommand, withDatabase, withOrganization } from './open-database.js';
import { print } from './print.js';

/** Exports an organization to stdout, or to a file that appears when it is complete. */
export async function exportToFile({ org, out }: { org: string; out?: string }): Promise<void> {
  await withOrganization(org, async (database, id) => {
    const write = (sink: Writable, options = {}) =>
      exportOrganization(database, id, (lines) => pipeline(lines, sink, options));
    if (out === undefined) {
      await write(process.stdout, { end: false }).catch(ignoreClosedPipe);
      return;
    }
    requireNewPaths([out]);
    await withScratchFolder(`${out}.partial-`, async (folder) => {
      const partial = join(folder, 'export');
      await write(createWriteStream(partial, { mode: 0o600 }));
      moveIntoPlace(partial, out);
    });
    process.stderr.write(`Exported ${org} to ${out}. It contains secrets.\n`);
  });
}

/** Ignores that the reader of stdout, such as `head`, has closed the pipe. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

export async function importFromFile(file: string): Promise<void> {
  const { organizationId, rows, urlIdShift } = await withDatabase(async (database) => {
    const config = readConfig(process.env);
    await unlockSecrets(database, config);
    const { origin } = fromCommand('importOrganization');
    const plans = readPlans(config.plansPath);
    return importOrganization(database, file, { origin, plans, ignoreCase: config.ignoreCase });
  });
  const count = (table: string, noun: string) => formatCount(rows.get(table) ?? 0, noun);
  print(
    `Imported ${organizationId}: ${count('urls', 'link')}, ${count('qr_codes', 'QR code')}, ${count('webhooks', 'webhook')}, ${count('domains', 'domain')}, ${count('clients', 'client')}.`,
  );
  if (urlIdShift > 0) {
    print(
      `The links have new ids: each is ${urlIdShift.toLocaleString('en')} greater than in the file.`,
    );
  }
}
