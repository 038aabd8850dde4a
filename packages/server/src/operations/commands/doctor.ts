import { sql } from 'kysely';
import {
  type DamagedVisits,
  diagnoseVisits,
  discardVisits,
  repairVisitCounters,
  type WrongCounter,
} from '../../analytics/reports/visit-doctor.js';
import { readConfig } from '../../config.js';
import { ConfigError } from '../../config-error.js';
import { formatCount } from '../../format-count.js';
import { findWrongLinkCounters, repairLinkCounters } from '../../organizations/link-quota.js';
import type { Database } from '../../storage/database.js';
import { findDatabaseFile } from '../../storage/locate-database.js';
import { checkSecrets } from '../../storage/secrets.js';
import { findIntegrityErrors } from '../../storage/sqlite/copy-sqlite.js';
import { withDatabase } from './open-database.js';
import { print } from './print.js';

interface Diagnosis {
  readonly lines: readonly string[];
  /** The number of errors that can be repaired. */
  readonly errors?: number;
  readonly repair?: () => Promise<unknown>;
  /** True for errors that no repair corrects. */
  readonly needsAttention?: boolean;
}

const maxPrintedErrors = 20;

/** Checks the database's file, secrets and counters, and repairs wrong counters. */
export async function doctor(options: { check?: true; discard?: string }): Promise<void> {
  await withDatabase(async (database) => {
    if (options.discard !== undefined) return discard(database, options.discard);
    const diagnoses = [
      examineFile(database),
      await examineVisits(database),
      await examineLinks(database),
      await examineSecrets(database),
    ];
    for (const line of diagnoses.flatMap(({ lines }) => lines)) print(line);
    const errors = diagnoses.reduce((sum, each) => sum + (each.errors ?? 0), 0);
    const needsAttention = diagnoses.some((each) => each.needsAttention);
    if (needsAttention || (options.check && errors > 0)) process.exitCode = 1;
    if (errors === 0 && !needsAttention) print('Visits and counters agree.');
    if (errors === 0 || options.check) return;
    for (const each of diagnoses) if (each.errors) await each.repair?.();
    print(`Repaired ${formatCount(errors, 'error')}.`);
  });
}

async function discard(database: Database, row: string): Promise<void> {
  const damaged = /^\d{1,15}$/.test(row) && (await discardVisits(database, Number(row)));
  if (!damaged) {
    throw new ConfigError(
      `--discard ${row}: no unreadable row has this name; shorty-server doctor --check lists them`,
    );
  }
  print(
    `Deleted row ${row}. Lost: ${describeVisits(damaged)}. Run shorty-server doctor to correct the counters.`,
  );
}

/** Throws a ConfigError if more than an index of the file is damaged. */
function examineFile(database: Database): Diagnosis {
  const path = findDatabaseFile(readConfig(process.env).databaseUrl);
  const found = path === undefined ? [] : findIntegrityErrors(path);
  const orphans = found.filter((error) => / refers to a missing row /.test(error));
  // What an index contains exists in its table too.
  const inIndexes = found.filter((error) => / index \w+$/.test(error));
  const repairable = [...orphans, ...inIndexes];
  const others = found.filter((error) => !repairable.includes(error)).slice(0, maxPrintedErrors);
  if (others.length > 0) {
    const list = others.map((error) => `- ${error}`);
    throw new ConfigError(
      [`the file ${path} is damaged: restore a backup (docs/backups.md)`, ...list].join('\n'),
    );
  }
  return {
    lines: repairable.slice(0, maxPrintedErrors).map((error) => `In the database file: ${error}.`),
    errors: inIndexes.length,
    needsAttention: orphans.length > 0,
    repair: () => database.writeDirectly((transaction) => sql`reindex`.execute(transaction)),
  };
}

async function examineVisits(database: Database): Promise<Diagnosis> {
  const { links, clicks, scans, damaged, wrongLinks, wrongCodes } = await diagnoseVisits(database);
  return {
    lines: [
      `${formatCount(clicks, 'click')} and ${formatCount(scans, 'scan')}. Link counters compared: ${number(links)}.`,
      ...damaged.map(
        (each) =>
          `${describeVisits(each)}, cannot be read. Their counters are not compared. To delete the row: shorty-server doctor --discard ${each.id}`,
      ),
      ...describeCounters('Link', wrongLinks, 'click'),
      ...describeCounters('QR code', wrongCodes, 'scan'),
    ],
    errors: wrongLinks.length + wrongCodes.length,
    repair: () => repairVisitCounters(database, wrongLinks, wrongCodes),
    needsAttention: damaged.length > 0,
  };
}

async function examineLinks(database: Database): Promise<Diagnosis> {
  const wrongCounters = await findWrongLinkCounters(database);
  return {
    lines: describeCounters('Organization', wrongCounters, 'active link'),
    errors: wrongCounters.length,
    repair: () => repairLinkCounters(database, wrongCounters),
  };
}

async function examineSecrets(database: Database): Promise<Diagnosis> {
  const { count, unreadable } = await checkSecrets(database);
  const errors = unreadable.slice(0, maxPrintedErrors).map((reason) => `Error: ${reason}.`);
  return {
    lines: [`Stored secrets: ${number(count)}.`, ...errors],
    needsAttention: unreadable.length > 0,
  };
}

function describeVisits(row: DamagedVisits): string {
  const { visit_count, organization_id, first_url, last_url, first_at, last_at } = row;
  const [from, to] = [first_at, last_at].map((at) => new Date(at).toISOString());
  return `Organization ${organization_id}: ${formatCount(visit_count, 'visit')} of links ${first_url} to ${last_url}, from ${from} to ${to}`;
}

function describeCounters(
  owner: string,
  wrong: readonly WrongCounter<string | number>[],
  counted: string,
): string[] {
  return wrong.map(
    ({ id, ...counter }) =>
      `${owner} ${id}: its counter is ${number(counter.counted)}, but it has ${formatCount(counter.actual, counted)}.`,
  );
}

function number(value: number): string {
  return value.toLocaleString('en');
}
