import { diagnoseClicks, mendCounters } from '../../analytics/reports/click-doctor.js';
import { diagnoseScans, mendScanCounters } from '../../analytics/reports/scan-doctor.js';
import { findWrongLinkCounters, mendLinkCounters } from '../../organizations/link-doctor.js';
import type { Database } from '../../storage/database.js';
import { diagnoseSearch, repairSearch } from '../../urls/search-doctor.js';
import { diagnoseDeliveries, mendDeliveries } from '../../webhooks/delivery-doctor.js';
import { withDatabase } from './open-database.js';

interface Diagnosis {
  /** What there is, and then what is wrong. */
  readonly says: readonly string[];
  /** How many things can be set right. */
  readonly faults: number;
  mend(): Promise<void>;
  /** Something is wrong that only a change of the server can set right. */
  readonly isIncurable?: boolean;
}

/** Proves that what is counted in two places agrees; sets counters right that do not. */
export async function doctor({ check }: { check?: true }): Promise<void> {
  await withDatabase(async (database) => {
    const say = (text: string) => process.stdout.write(`${text}\n`);
    const diagnoses = [
      await examineClicks(database),
      await examineScans(database),
      await examineLinks(database),
      await examineDeliveries(database),
      await examineSearch(database),
    ];
    for (const { says } of diagnoses) for (const text of says) say(text);
    const faults = diagnoses.reduce((sum, each) => sum + each.faults, 0);
    const isIncurable = diagnoses.some((each) => each.isIncurable);
    if (isIncurable || (check && faults > 0)) process.exitCode = 1;
    if (faults === 0 && !isIncurable) say('Visits, counters and series agree.');
    if (faults === 0 || check) return;
    for (const each of diagnoses) if (each.faults > 0) await each.mend();
    say(`Mended ${number(faults)} ${faults === 1 ? 'fault' : 'faults'}.`);
  });
}

async function examineClicks(database: Database): Promise<Diagnosis> {
  const { links, visits, clicks, inSeries, faults } = await diagnoseClicks(database);
  const isIncurable = inSeries !== clicks;
  return {
    says: [
      `${number(visits)} visits and ${number(clicks)} clicks of ${number(links)} links.`,
      ...faults.map(
        ({ urlId, counted, clicks: right }) =>
          `Link ${urlId}: its counter says ${number(counted)}, it has ${number(right)} clicks.`,
      ),
      ...(isIncurable
        ? [
            `Reports show ${number(inSeries)} clicks: this is a fault of the server, please tell of it.`,
          ]
        : []),
    ],
    faults: faults.length,
    mend: () => mendCounters(database, faults),
    isIncurable,
  };
}

async function examineScans(database: Database): Promise<Diagnosis> {
  const { codes, scans, faults } = await diagnoseScans(database);
  return {
    says: [
      ...(codes > 0 ? [`${number(scans)} scans of ${number(codes)} QR codes.`] : []),
      ...faults.map(
        ({ qrId, counted, scans: right }) =>
          `QR code ${qrId}: its counter says ${number(counted)}, it has ${number(right)} scans.`,
      ),
    ],
    faults: faults.length,
    mend: () => mendScanCounters(database, faults),
  };
}

async function examineLinks(database: Database): Promise<Diagnosis> {
  const faults = await findWrongLinkCounters(database);
  return {
    says: faults.map(
      ({ organizationId, counted, active }) =>
        `Organization ${organizationId}: its counter says ${number(counted)}, it has ${number(active)} active links.`,
    ),
    faults: faults.length,
    mend: () => mendLinkCounters(database, faults),
  };
}

async function examineDeliveries(database: Database): Promise<Diagnosis> {
  const { deliveries, faults } = await diagnoseDeliveries(database);
  return {
    says: [
      ...(deliveries > 0 ? [`${number(deliveries)} deliveries.`] : []),
      ...(faults > 0
        ? [`${number(faults)} of them are pending and never due, or over and due.`]
        : []),
    ],
    faults,
    mend: () => mendDeliveries(database, Date.now()),
  };
}

async function examineSearch(database: Database): Promise<Diagnosis> {
  const diagnosis = await diagnoseSearch(database);
  const { outdated, unindexed, index } = diagnosis;
  return {
    says: [
      ...(outdated.length > 0
        ? [`Links with a search text that is out of date: ${number(outdated.length)}.`]
        : []),
      ...(unindexed > 0 ? [`Links that the search index misses: ${number(unindexed)}.`] : []),
      ...(index === 'damaged' ? ['The search index is damaged.'] : []),
      ...(index === 'missing' ? ['The search index is missing.'] : []),
      ...(index === 'unavailable'
        ? ['Searches have no index: create the extension pg_trgm, and run doctor again.']
        : []),
    ],
    faults: outdated.length + unindexed + (index === 'damaged' || index === 'missing' ? 1 : 0),
    mend: () => repairSearch(database, diagnosis),
  };
}

function number(value: number): string {
  return value.toLocaleString('en');
}
