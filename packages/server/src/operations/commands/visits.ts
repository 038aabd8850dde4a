import { ConfigError } from '../../config-error.js';
import { formatCount } from '../../format-count.js';
import { exportVisits as exportTo } from '../visits/export-visits.js';
import { openFileStore } from '../visits/file-store.js';
import type { Format } from '../visits/visit-files.js';
import { withDatabase } from './open-database.js';
import { print } from './print.js';

interface ExportOptions {
  readonly to: string;
  readonly format: Format;
  readonly keys: boolean;
  readonly visitsPerFile: string;
}

/** Exports the visits that are not at the destination yet. The server may run. */
export async function exportVisits({ to, format, keys, visitsPerFile }: ExportOptions) {
  if (!/^[1-9]\d{0,6}$/.test(visitsPerFile)) {
    throw new ConfigError(`--visits-per-file ${visitsPerFile}: must be a number from 1 to 9999999`);
  }
  const store = openFileStore(to, process.env);
  const runs = await withDatabase((database) =>
    exportTo({
      database,
      store,
      format,
      hasKeys: keys,
      visitsPerFile: Number(visitsPerFile),
      clock: Date.now,
    }),
  );
  for (const { run, files, visits, damaged } of runs) {
    const counts = `${formatCount(visits, 'visit')} in ${formatCount(files, 'file')}`;
    print(`Exported run ${run} to ${store.destination}: ${counts}.`);
    if (damaged === 0) continue;
    process.exitCode = 1;
    process.stderr.write(
      `shorty-server: ${formatCount(damaged, 'chunk')} of visits cannot be read and ${damaged === 1 ? 'was' : 'were'} left out: see shorty-server doctor --check\n`,
    );
  }
}
