import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readConfig } from '../../config.js';
import { ConfigError } from '../../config-error.js';
import { OrganizationRepository } from '../../organizations/organization-repository.js';
import type { Database } from '../../storage/database.js';
import { placeFile, refuseToOverwrite } from '../backup/place-file.js';
import { exportOrganization } from '../transfer/export-organization.js';
import { importOrganization as importFile } from '../transfer/import-organization.js';
import { withDatabase } from './open-database.js';

interface ExportOptions {
  readonly org: string;
  readonly out?: string;
}

/** Writes all of an organization to stdout, or to a file that appears when it is whole. */
export async function exportToFile({ org, out }: ExportOptions): Promise<void> {
  await withDatabase(async (database) => {
    const organizations = await new OrganizationRepository(database).list();
    if (!organizations.some(({ id }) => id === org)) {
      throw new ConfigError(`there is no organization ${org}: see shorty-server orgs list`);
    }
    if (out === undefined) {
      await write(database, org, process.stdout, { end: false }).catch(passClosedPipe);
      return;
    }
    refuseToOverwrite([out]);
    const scratch = mkdtempSync(`${out}.partial-`);
    try {
      const whole = join(scratch, 'export');
      await write(database, org, createWriteStream(whole, { mode: 0o600 }));
      placeFile(whole, out);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
    process.stderr.write(`Exported ${org} to ${out}. It holds secrets, as the database does.\n`);
  });
}

function write(
  database: Database,
  organizationId: string,
  sink: Writable,
  { end = true }: { readonly end?: boolean } = {},
): Promise<void> {
  return exportOrganization(database, organizationId, async (lines) => {
    await pipeline(lines, sink, { end });
  });
}

/** Whoever reads has seen enough. */
function passClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/** Takes over an organization out of a file. */
export async function importFromFile(file: string): Promise<void> {
  const { baseUrl, shortDomain, publicHost, host, port } = readConfig(process.env);
  const origin = baseUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const ownHosts = [new URL(origin).host, new URL(publicHost ?? origin).host];
  if (shortDomain !== undefined) ownHosts.push(shortDomain);
  const { organizationId, rows, urlIdShift } = await withDatabase((database) =>
    importFile(database, file, ownHosts),
  );
  const count = (table: string) => (rows.get(table) ?? 0).toLocaleString('en');
  const say = (text: string) => process.stdout.write(`${text}\n`);
  say(
    `Imported ${organizationId}: ${count('urls')} links, ${count('qr_codes')} QR codes, ${count('webhooks')} webhooks, ${count('domains')} domains, ${count('clients')} clients.`,
  );
  if (urlIdShift > 0) {
    say(`Links have other ids here: ${urlIdShift.toLocaleString('en')} more than in the file.`);
  }
}
