import { sql } from 'kysely';
import { nameOfRow } from '../../analytics/ingest/read-stored-visits.js';
import {
  type DamagedVisits,
  diagnoseClicks,
  diagnoseScans,
  discardVisits,
  findDamagedVisits,
  repairClickCounters,
  repairScanCounters,
  type WrongCounter,
} from '../../analytics/reports/visit-doctor.js';
import { readConfig } from '../../config.js';
import { ConfigError } from '../../config-error.js';
import { formatCount } from '../../format-count.js';
import { findWrongLinkCounters, repairLinkCounters } from '../../organizations/link-doctor.js';
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
      await examineClicks(database),
      await examineScans(database),
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

/** Deletes a row of visits that cannot be read. */
async function discard(database: Database, row: string): Promise<void> {
  const damaged = (await findDamagedVisits(database)).find((each) => nameOfRow(each) === row);
  if (!damaged) {
    throw new ConfigError(
      `--discard ${row}: no unreadable row has this name; shorty-server doctor --check lists them`,
    );
  }
  await discardVisits(database, damaged);
  print(
    `Deleted ${row}. Lost: ${describeVisits(damaged)}. Run shorty-server doctor to correct the counters.`,
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
    throw new ConfigError([`the file ${path} is damaged: restore a backup`, ...list].join('\n'));
  }
  return {
    lines: repairable.slice(0, maxPrintedErrors).map((error) => `In the database file: ${error}.`),
    errors: inIndexes.length,
    needsAttention: orphans.length > 0,
    repair: () => database.writeDirectly((transaction) => sql`reindex`.execute(transaction)),
  };
}

async function examineClicks(database: Database): Promise<Diagnosis> {
  const { links, visits, clicks, wrongCounters, damaged } = await diagnoseClicks(database);
  return {
    lines: [
      `${formatCount(visits, 'visit')} and ${formatCount(clicks, 'click')}. Link counters compared: ${number(links)}.`,
      ...damaged.map(describeDamage),
      ...describeCounters('Link', wrongCounters, 'click'),
    ],
    errors: wrongCounters.length,
    repair: () => repairClickCounters(database, wrongCounters),
    needsAttention: damaged.length > 0,
  };
}

async function examineScans(database: Database): Promise<Diagnosis> {
  const { codes, scans, wrongCounters } = await diagnoseScans(database);
  const counted = `${formatCount(scans, 'scan')} of ${formatCount(codes, 'QR code')}.`;
  return {
    lines: [...(codes > 0 ? [counted] : []), ...describeCounters('QR code', wrongCounters, 'scan')],
    errors: wrongCounters.length,
    repair: () => repairScanCounters(database, wrongCounters),
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

function describeDamage(damaged: DamagedVisits): string {
  const isBatch = damaged.urlId === undefined;
  const counters = isBatch ? 'No counter is' : 'Its counter is not';
  return `${describeVisits(damaged)}${isBatch ? ',' : ''} cannot be read. ${counters} compared. To delete the row: shorty-server doctor --discard ${nameOfRow(damaged)}`;
}

function describeVisits({ urlId, number: part, visits, since, until }: DamagedVisits): string {
  const count = formatCount(visits, 'visit');
  return urlId === undefined
    ? `Batch ${part}: its ${count} of any links, stored at ${toIso(since)}`
    : `Link ${urlId}: ${count} from ${toIso(since)} to ${toIso(until)} (chunk ${part})`;
}

function toIso(time: number): string {
  return new Date(time).toISOString();
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
