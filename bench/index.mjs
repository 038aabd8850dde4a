// Runs all benchmarks, or the named ones: `npm run bench redirects start-up`.
import { benchAnalytics } from './analytics.mjs';
import { benchBulkCreate, benchBulkCreatePostgres } from './bulk-create.mjs';
import { benchCreates, benchCreatesPostgres } from './creates.mjs';
import { benchDeliveries } from './deliveries.mjs';
import { benchImport } from './import.mjs';
import { missedBounds } from './lib/ratio.mjs';
import { benchMemory } from './memory.mjs';
import { benchRedirects } from './redirects.mjs';
import { benchRedirectsBeside, benchRedirectsBesidePostgres } from './redirects-beside.mjs';
import { benchStartUp } from './start-up.mjs';

const benchmarks = {
  redirects: benchRedirects,
  'redirects-beside': benchRedirectsBeside,
  'redirects-beside-postgres': benchRedirectsBesidePostgres,
  creates: benchCreates,
  'creates-postgres': benchCreatesPostgres,
  'bulk-create': benchBulkCreate,
  'bulk-create-postgres': benchBulkCreatePostgres,
  import: benchImport,
  analytics: benchAnalytics,
  deliveries: benchDeliveries,
  memory: benchMemory,
  'start-up': benchStartUp,
};

const names = Object.keys(benchmarks);
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`unknown benchmark ${unknown.join(', ')}; the benchmarks are ${names.join(', ')}`);
  process.exit(2);
}
for (const [name, run] of Object.entries(benchmarks)) {
  if (wanted.length === 0 || wanted.includes(name)) await run();
}
process.exit(missedBounds() === 0 ? 0 : 1);
