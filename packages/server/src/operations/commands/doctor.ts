import { sql } from 'kysely';
import { nameOfRow } from '../../analytics/ingest/read-stored-visits.js';
import { journalRootOf } from '../../analytics/journal/journal-folder.js';
import { openQuarantine } from '../../analytics/journal/quarantine.js';
import {
  diagnoseOrganizationChunks,
  repairOrganizationChunks,
} from '../../analytics/reports/organization-doctor.js';
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
import { endStaleLeases, findStaleLeases } from '../../redirect/click-lease-doctor.js';
import type { Database } from '../../storage/database.js';
import { findDatabaseFile } from '../../storage/locate-database.js';
import { checkSecrets } from '../../storage/secrets.js';
import { findIntegrityErrors } from '../../storage/sqlite/copy-sqlite.js';
import { findWrongClickQueues, repairClickQueues } from '../../webhooks/click-queue-doctor.js';
import { diagnoseDeliveries, repairDeliveries } from '../../webhooks/delivery-doctor.js';
import { describeCountries } from './countries.js';
import { withDatabase } from './open-database.js';
import { print } from './print.js';

interface Diagnosis {
  /** The lines to print, without those that are `false`. */
  readonly lines: readonly (string | false)[];
  /** The number of errors that can be repaired. */
  readonly errors: number;
  repair(): Promise<void>;
  /** True for what this repair cannot correct: an error of the server, or lines in quarantine. */
  readonly needsAttention?: boolean;
}

/** Compares figures that are stored in two places, and repairs those that disagree. */
export async function doctor({
  check,
  discard: row,
}: {
  check?: true;
  discard?: string;
}): Promise<void> {
  await withDatabase(async (database) => {
    if (row !== undefined) return discard(database, row);
    const diagnoses: Diagnosis[] = [];
    for (const examine of examinations) diagnoses.push(await examine(database));
    for (const text of diagnoses.flatMap(({ lines }) => lines)) if (text) print(text);
    const errors = diagnoses.reduce((sum, each) => sum + each.errors, 0);
    const needsAttention = diagnoses.some((each) => each.needsAttention);
    if (needsAttention || (check && errors > 0)) process.exitCode = 1;
    if (errors === 0 && !needsAttention) print('Visits, counters and series agree.');
    if (errors === 0 || check) return;
    for (const each of diagnoses) if (each.errors > 0) await each.repair();
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

const maxPrintedErrors = 20;

const examinations: readonly ((database: Database) => Promise<Diagnosis>)[] = [
  async (database) => {
    const path = findDatabaseFile(readConfig(process.env).databaseUrl);
    const found = path === undefined ? [] : findIntegrityErrors(path);
    const orphans = found.filter((error) => / refers to a missing row /.test(error));
    // What an index contains exists in its table too.
    const inIndexes = found.filter((error) => / index \w+$/.test(error));
    const others = found.filter((error) => ![...orphans, ...inIndexes].includes(error));
    if (others.length > 0) {
      const list = others.slice(0, maxPrintedErrors).map((error) => `- ${error}`);
      throw new ConfigError([`the file ${path} is damaged: restore a backup`, ...list].join('\n'));
    }
    return {
      lines: [...orphans, ...inIndexes]
        .slice(0, maxPrintedErrors)
        .map((error) => `In the database file: ${error}.`),
      errors: inIndexes.length,
      needsAttention: orphans.length > 0,
      repair: () =>
        database.writeDirectly(async (transaction) => {
          await sql`reindex`.execute(transaction);
        }, 'exclusive'),
    };
  },
  async (database) => {
    const { links, visits, clicks, inSeries, wrongCounters, damaged } =
      await diagnoseClicks(database);
    const hasServerError = inSeries !== clicks;
    return {
      lines: [
        `${formatCount(visits, 'visit')} and ${formatCount(clicks, 'click')}. Link counters compared: ${number(links)}.`,
        ...damaged.map(describeDamage),
        ...describeCounters('Link', wrongCounters, 'click'),
        hasServerError &&
          `Reports show ${formatCount(inSeries, 'click')}: this is an error of the server, please report it.`,
      ],
      errors: wrongCounters.length,
      repair: () => repairClickCounters(database, wrongCounters),
      needsAttention: hasServerError || damaged.length > 0,
    };
  },
  async (database) => {
    const wrong = await diagnoseOrganizationChunks(database);
    return {
      lines: wrong
        .slice(0, maxPrintedErrors)
        .map(
          ({ id, counted, actual, since }) =>
            `Organization ${id}: its overview can read ${formatCount(counted, 'visit')} since ${new Date(since).toISOString()}, and its links have ${number(actual)}.`,
        ),
      errors: wrong.length,
      repair: () => repairOrganizationChunks(database, wrong),
    };
  },
  async () => {
    const root = journalRootOf(readConfig(process.env));
    const lines = root === undefined ? 0 : openQuarantine(root).count();
    return {
      lines: [
        lines > 0 &&
          `${formatCount(lines, 'line')} of journals cannot be stored: see shorty-server journal inspect.`,
      ],
      errors: 0,
      needsAttention: lines > 0,
      repair: async () => {},
    };
  },
  async (database) => {
    const { count, unreadable } = await checkSecrets(database);
    return {
      lines: [
        `Stored secrets: ${number(count)}.`,
        ...unreadable.slice(0, maxPrintedErrors).map((reason) => `Error: ${reason}.`),
      ],
      errors: 0,
      needsAttention: unreadable.length > 0,
      repair: async () => {},
    };
  },
  async () => ({
    lines: [await describeCountries()],
    errors: 0,
    repair: async () => {},
  }),
  async (database) => {
    const { codes, scans, wrongCounters } = await diagnoseScans(database);
    return {
      lines: [
        codes > 0 && `${formatCount(scans, 'scan')} of ${formatCount(codes, 'QR code')}.`,
        ...describeCounters('QR code', wrongCounters, 'scan'),
      ],
      errors: wrongCounters.length,
      repair: () => repairScanCounters(database, wrongCounters),
    };
  },
  async (database) => {
    const wrongCounters = await findWrongLinkCounters(database);
    return {
      lines: describeCounters('Organization', wrongCounters, 'active link'),
      errors: wrongCounters.length,
      repair: () => repairLinkCounters(database, wrongCounters),
    };
  },
  async (database) => {
    const { deliveries, inconsistent } = await diagnoseDeliveries(database);
    return {
      lines: [
        deliveries > 0 && `${formatCount(deliveries, 'delivery', 'deliveries')}.`,
        inconsistent > 0 &&
          `Deliveries that are pending without a due time, or finished with one: ${number(inconsistent)}.`,
      ],
      errors: inconsistent,
      repair: () => repairDeliveries(database, Date.now()),
    };
  },
  async (database) => {
    const wrong = await findWrongClickQueues(database);
    return {
      lines: wrong.map(
        ({ id, counted, actual }) =>
          `Webhook ${id}: its counter is ${number(counted)}, but it has ${formatCount(actual, 'waiting click')}.`,
      ),
      errors: wrong.length,
      repair: () => repairClickQueues(database, wrong),
    };
  },
  async (database) => {
    const stale = await findStaleLeases(database, Date.now());
    return {
      lines: stale
        .slice(0, maxPrintedErrors)
        .map(
          ({ urlId, clicks, writerId, updatedAt }) =>
            `Link ${urlId}: the process with the journal ${writerId} has had ${number(clicks)} of its clicks since ${toIso(updatedAt)}. Start the node that has this journal; a repair counts these clicks as used.`,
        ),
      errors: stale.length,
      repair: () => endStaleLeases(database, stale),
    };
  },
];

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
) {
  return wrong.map(
    ({ id, ...counter }) =>
      `${owner} ${id}: its counter is ${number(counter.counted)}, but it has ${formatCount(counter.actual, counted)}.`,
  );
}

function number(value: number): string {
  return value.toLocaleString('en');
}
