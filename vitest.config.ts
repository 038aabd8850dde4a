import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// Tests import the packages' sources, so that no test ever runs against a stale build.
const alias = {
  '@shorty/sdk/webhooks': source('packages/webhook-verifier/src/index.ts'),
  '@shorty/sdk/testing': source('packages/sdk/src/testing.ts'),
  '@shorty/sdk': source('packages/sdk/src/index.ts'),
  '@shorty/import': source('packages/import/src/index.ts'),
  '@shorty/report': source('packages/report/src/index.ts'),
  '@shorty/server': source('packages/server/src/index.ts'),
  '@shorty/webhook-verifier/web': source('packages/webhook-verifier/src/web.ts'),
  '@shorty/webhook-verifier/dedupe': source('packages/webhook-verifier/src/dedupe.ts'),
  '@shorty/webhook-verifier': source('packages/webhook-verifier/src/index.ts'),
};

const startsPostgres = {
  globalSetup: ['packages/server/test/postgres/global-setup.ts'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

// End-to-end tests start processes, databases and browsers.
const startsProcesses = { testTimeout: 180_000, hookTimeout: 60_000 };

// These run in the second stage only. They measure how long a stop or a response takes during a fault, and
// mostly wait. They run two at a time, beside no other test.
const boundTests = [
  'packages/server/test/operator/slow-stop.test.ts',
  'packages/server/test/postgres/faults/outage.test.ts',
];

// These measure what others get beside a load that keeps all cores busy. They run one at a time.
const loadTests = [
  'e2e/faults/stop.test.ts',
  'packages/server/test/postgres/faults/failover.test.ts',
];

// These kill processes under load but measure no time, keep a core busy for long, start many processes, or
// run programs of others. They run in the second stage, too. Of the dashboard, the first stage has the
// screens that people use most.
const longTests = [
  'e2e/{faults,tools}/**/*.test.ts',
  'e2e/{demo,docs,guides,operator-guides,packages}.test.ts',
  'e2e/dashboard/!(account|links|report).test.ts',
  'packages/cli/test/interrupted-import.test.ts',
  'packages/server/test/operator/{backup,doctor-damages,safe-start,scheduled-backups,transfer}.test.ts',
  'packages/server/test/analytics/report-model-long.test.ts',
  'packages/server/test/hardening/operator-paths.test.ts',
  'packages/server/test/qr/grid.test.ts',
  'packages/server/test/storage/million-links.test.ts',
  'packages/server/src/qr/logo/hostile-images.test.ts',
];
const laterTests = [...boundTests, ...loadTests, ...longTests];

const suites = (names: readonly string[]) =>
  names.map((name) => `packages/server/test/${name}/**/*.test.ts`);
// Of each suite that depends on the database engine, the first stage runs one file on PostgreSQL, too.
const alsoOnPostgres = [
  'packages/server/test/analytics/click-thresholds.test.ts',
  'packages/server/test/contract/if-match.test.ts',
  'packages/server/test/storage/url-writer.test.ts',
  'packages/server/test/transfer/transfer.test.ts',
  'packages/server/test/webhooks/retries.test.ts',
];
// Tests of SQLite's files, of a document, and of what is the same on both engines.
const onlyOnSqlite = [
  'packages/server/test/analytics/{counting,report-model-long}.test.ts',
  'packages/server/test/api/{access,bulk-same-rules,cors,docs,failures,hostile-bodies,link-info,link-previews}.test.ts',
  'packages/server/test/api/{not-found,operations,qr-download,qr-logo,rate-limit,redirect,standard-webhooks}.test.ts',
  'packages/server/test/api/{token,url-fields,visitor-pages}.test.ts',
  'packages/server/test/storage/{checkpoints,file-mode,million-links,privacy-guide,unavailable-storage}.test.ts',
  // PostgreSQL commits groups of two organizations at once, so one may complete more writes than the other.
  'packages/server/test/storage/write-queues.test.ts',
  'packages/server/test/webhooks/receiver-responses.test.ts',
];
// The second stage repeats all the others.
const repeatedOnPostgres = suites([
  'analytics',
  'api',
  'contract',
  'isolation',
  'storage',
  'transfer',
  'webhooks',
]);

// A test that waits for ten seconds, so that it must not be the last of its group.
const idleTest = 'packages/server/test/postgres/idle.test.ts';
// The statements that only PostgreSQL runs: migrations, creates, lists, visits, clicks of limited links, the change feed.
const onOldestPostgres = [
  idleTest,
  'packages/server/test/postgres/{click-limits,failed-polls,migrations}.test.ts',
  'packages/server/test/storage/{list-orders,url-writer}.test.ts',
];

/**
 * The projects of `npm test` and, with names that start with `more-`, those of `npm run test:more`.
 * CONTRIBUTING.md explains which folder runs where.
 *
 * vitest runs the projects of a group in the order of their names, and large files first. A group should end
 * with short tests, so that all cores are busy until its end.
 */
export default defineConfig({
  resolve: { alias },
  test: {
    reporters: ['default', './scripts/closing-line-reporter.ts'],
    // Many tests wait for times, processes or PostgreSQL, so one more worker than cores keeps the cores busy.
    maxWorkers: availableParallelism() + 1,
    // Files share their workers, because importing the server takes longer than most files. A file
    // must therefore restore what it changes in its process, and helpers must not register hooks
    // when they are imported.
    isolate: false,
    // A condition ends the wait; the limit of a second is too short on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'packages',
          include: ['packages/*/{src,test}/**/*.test.{ts,tsx}'],
          exclude: [...configDefaults.exclude, ...laterTests, 'packages/server/test/postgres/**'],
          // Tests that start servers take up to 14 s on an idle machine.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Ink draws no live view when these variables report a CI system.
          env: { CI: 'false', CONTINUOUS_INTEGRATION: 'false' },
        },
      },
      {
        extends: true,
        test: {
          ...startsPostgres,
          name: 'postgres',
          include: [...suites(['postgres']), ...alsoOnPostgres],
          exclude: [...configDefaults.exclude, ...laterTests, idleTest],
        },
      },
      {
        extends: true,
        test: {
          ...startsProcesses,
          name: 'e2e',
          include: ['{e2e,examples}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...laterTests],
          globalSetup: ['e2e/lib/unpack-browser.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...startsPostgres,
          name: 'more-postgres',
          include: repeatedOnPostgres,
          exclude: [...configDefaults.exclude, ...alsoOnPostgres, ...onlyOnSqlite],
        },
      },
      {
        extends: true,
        test: {
          ...startsPostgres,
          name: 'more-oldest-postgres',
          include: onOldestPostgres,
          globalSetup: ['packages/server/test/postgres/oldest-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...startsProcesses,
          name: 'more-long',
          include: longTests,
          exclude: [...configDefaults.exclude, ...boundTests, ...loadTests],
          globalSetup: ['e2e/lib/unpack-browser.ts'],
          testTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          ...startsProcesses,
          name: 'more-bounds',
          include: boundTests,
          testTimeout: 600_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...startsProcesses,
          name: 'more-load',
          include: loadTests,
          testTimeout: 600_000,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
