// Runs all benchmarks, or the named ones: `npm run bench redirects start-up`.
import { benchAnalytics } from './analytics.mjs';
import { benchBulkCreate } from './bulk-create.mjs';
import { benchBulkCreatePostgres } from './bulk-create-postgres.mjs';
import { benchCacheSimulation } from './cache-simulation.mjs';
import { benchClickLimits } from './click-limits.mjs';
import { benchCreatesPostgres } from './creates-postgres.mjs';
import {
  benchDeliveries,
  benchDeliveriesBeside,
  benchDeliveriesBesidePostgres,
  benchDeliveriesPostgres,
} from './deliveries.mjs';
import { benchExport } from './export.mjs';
import { benchImport } from './import.mjs';
import { missedBounds } from './lib/ratio.mjs';
import { benchLinkMissesPostgres } from './link-misses-postgres.mjs';
import { benchManyLinks } from './many-links.mjs';
import { benchMemory } from './memory.mjs';
import { benchQrDownload } from './qr-download.mjs';
import { benchQrDrawing } from './qr-drawing.mjs';
import { benchQrPrinted } from './qr-printed.mjs';
import { benchRedirects } from './redirects.mjs';
import {
  benchRedirectsBeside,
  benchRedirectsBesidePostgres,
  benchRedirectsTrace,
} from './redirects-beside.mjs';
import { benchRedirectsPostgres } from './redirects-postgres.mjs';
import { benchRedirectsRules } from './redirects-rules.mjs';
import { benchSdk } from './sdk.mjs';
import { benchServerStart, benchServerStartPostgres } from './server-start.mjs';
import { benchStartUp } from './start-up.mjs';
import { benchStop } from './stop.mjs';
import { benchVerify } from './verify.mjs';
import { benchVisitsPostgres } from './visits-postgres.mjs';

const benchmarks = {
  'click-limits': benchClickLimits,
  redirects: benchRedirects,
  'redirects-crowd': () => benchRedirects({ connections: 512, bound: 0.6, runs: 7 }),
  'redirects-rules': benchRedirectsRules,
  'redirects-beside': benchRedirectsBeside,
  'redirects-trace': benchRedirectsTrace,
  'bulk-create': benchBulkCreate,
  'start-up': benchStartUp,
  memory: benchMemory,
  'server-start': benchServerStart,
  stop: benchStop,
  sdk: benchSdk,
  export: benchExport,
  import: benchImport,
  analytics: benchAnalytics,
  'many-links': benchManyLinks,
  'qr-download': benchQrDownload,
  deliveries: benchDeliveries,
  'deliveries-beside': benchDeliveriesBeside,
  verify: benchVerify,
  'qr-drawing': benchQrDrawing,
  'qr-printed': benchQrPrinted,
  'redirects-postgres': benchRedirectsPostgres,
  'redirects-beside-postgres': benchRedirectsBesidePostgres,
  'link-misses-postgres': benchLinkMissesPostgres,
  'server-start-postgres': benchServerStartPostgres,
  'creates-postgres': benchCreatesPostgres,
  'bulk-create-postgres': benchBulkCreatePostgres,
  'visits-postgres': benchVisitsPostgres,
  'deliveries-postgres': benchDeliveriesPostgres,
  'deliveries-beside-postgres': benchDeliveriesBesidePostgres,
  'cache-simulation': benchCacheSimulation,
};

const names = Object.keys(benchmarks);
const wanted = process.argv.slice(2);
if (wanted.includes('--help')) {
  console.log(`npm run bench [names]: runs all benchmarks, or these: ${names.join(', ')}`);
  process.exit(0);
}
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`unknown benchmark ${unknown.join(', ')}; the benchmarks are ${names.join(', ')}`);
  process.exit(2);
}
for (const [name, run] of Object.entries(benchmarks)) {
  if (wanted.length === 0 || wanted.includes(name)) await run();
}
process.exit(missedBounds() === 0 ? 0 : 1);
