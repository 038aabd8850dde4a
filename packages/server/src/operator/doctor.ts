import { diagnoseClicks, mendCounters } from '../clicks/click-doctor.js';
import { diagnoseScans, mendScanCounters } from '../scans/scan-doctor.js';
import { withDatabase } from './open-database.js';

/** Proves that clicks, scans, counters and series agree; sets counters right that do not. */
export async function doctor({ check }: { check?: true }): Promise<void> {
  await withDatabase(async (database) => {
    const { links, visits, clicks, inSeries, faults } = await diagnoseClicks(database);
    const scanned = await diagnoseScans(database);
    const say = (text: string) => process.stdout.write(`${text}\n`);
    say(`${number(visits)} visits and ${number(clicks)} clicks of ${number(links)} links.`);
    for (const { urlId, counted, clicks: right } of faults) {
      say(`Link ${urlId}: its counter says ${number(counted)}, it has ${number(right)} clicks.`);
    }
    if (scanned.codes > 0) {
      say(`${number(scanned.scans)} scans of ${number(scanned.codes)} QR codes.`);
    }
    for (const { qrId, counted, scans } of scanned.faults) {
      say(`QR code ${qrId}: its counter says ${number(counted)}, it has ${number(scans)} scans.`);
    }
    if (inSeries !== clicks) {
      say(
        `Reports show ${number(inSeries)} clicks: this is a fault of the server, please tell of it.`,
      );
      process.exitCode = 1;
    }
    const faultCount = faults.length + scanned.faults.length;
    if (faultCount === 0) {
      if (inSeries === clicks) say('Visits, counters and series agree.');
      return;
    }
    if (check) {
      process.exitCode = 1;
      return;
    }
    await mendCounters(database, faults);
    await mendScanCounters(database, scanned.faults);
    say(`Mended ${number(faultCount)} ${faultCount === 1 ? 'counter' : 'counters'}.`);
  });
}

function number(value: number): string {
  return value.toLocaleString('en');
}
