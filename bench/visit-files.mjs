// The size of exported visits, and the time that an export takes, beside an idle server.
import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { exportVisits } from '../packages/server/dist/operations/visits/export-visits.js';
import { openFileStore } from '../packages/server/dist/operations/visits/file-store.js';
import { openStorage } from '../packages/server/dist/storage/open-storage.js';
import { createLinks } from './lib/create-links.mjs';
import { scratchFolder, serveShorty } from './lib/processes.mjs';
import { storeVisits } from './lib/store-visits.mjs';
import { makeVisits } from './lib/visit-maker.mjs';

const links = 10_000;
const day = 24 * 60 * 60 * 1000;

export async function benchVisitFiles({ visits = Number(process.env.VISITS ?? 1_000_000) } = {}) {
  const folder = scratchFolder();
  const path = join(folder, 'shorty.db');
  const server = await serveShorty({ SHORTY_DATABASE_URL: `file:${path}` });
  await createLinks(server, links);
  await server.stop();
  const until = Math.floor(Date.now() / day) * day;
  await storeVisits(path, makeVisits({ count: visits, links, from: until - 90 * day, until }));
  const database = openStorage({ databaseUrl: `file:${path}`, durability: 'process' });
  for (const format of ['parquet', 'ndjson']) {
    for (const hasKeys of [true, false]) {
      const to = join(folder, `${format}-${hasKeys}`);
      const store = openFileStore(to, {});
      const before = process.cpuUsage();
      const options = { database, store, format, hasKeys, visitsPerFile: 1_000_000 };
      await exportVisits({ ...options, clock: Date.now });
      const { user, system } = process.cpuUsage(before);
      const bytes = (await filesBelow(to)).reduce((sum, file) => sum + statSync(file).size, 0);
      console.log(
        `        ${format} ${hasKeys ? 'with' : 'without'} keys: ${(bytes / visits).toFixed(1)} bytes and ${((user + system) / visits).toFixed(1)} µs of processor time a visit`,
      );
    }
  }
  await database.close();
}

async function filesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}
