import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// Tests import the packages' sources, so that no test ever runs against a stale build.
const alias = {
  '@shorty/sdk/node': source('packages/sdk/src/node.ts'),
  '@shorty/sdk': source('packages/sdk/src/index.ts'),
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

// vitest requires a group of their own for projects with another number of workers.
const oneFileAtATime = { fileParallelism: false, sequence: { groupOrder: 1 } };

// These kill processes under load. `npm test` causes each fault once and `npm run test:more` several
// times: the tests call rounds().
const faults = ['e2e/faults/**/*.test.ts', 'packages/server/test/postgres/faults/**/*.test.ts'];

// Suites whose behaviour depends on the database engine.
const engineSuites = ['analytics', 'contract', 'postgres', 'storage', 'transfer', 'webhooks'];
// Suites that check the same handlers again on PostgreSQL.
const repeatedSuites = ['api', 'isolation'];
const suites = (names: readonly string[]) =>
  names.map((name) => `packages/server/test/${name}/**/*.test.ts`);

/**
 * The projects of `npm test` and, with names that start with `more-`, those of `npm run test:more`.
 * CONTRIBUTING.md explains which folder runs where.
 */
export default defineConfig({
  resolve: { alias },
  test: {
    reporters: ['default', './scripts/closing-line-reporter.ts'],
    // vitest leaves one core idle by default.
    maxWorkers: '100%',
    // Files share their workers, because importing the server takes longer than most files. A file
    // must therefore restore what it changes in its process, and helpers must not register hooks
    // when they are imported.
    isolate: false,
    provide: { isRepeating: false },
    projects: [
      {
        extends: true,
        test: {
          name: 'packages',
          include: ['packages/*/{src,test}/**/*.test.{ts,tsx}'],
          exclude: [...configDefaults.exclude, 'packages/server/test/postgres/**'],
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
          include: suites(engineSuites),
          exclude: [
            ...configDefaults.exclude,
            ...faults,
            // Tests of SQLite's files and query plans.
            'packages/server/test/storage/{checkpoints,file-mode,full-disk,query-plans,unavailable-storage}.test.ts',
          ],
        },
      },
      {
        extends: true,
        test: {
          ...startsProcesses,
          name: 'e2e',
          include: ['{e2e,examples}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...faults, 'e2e/tools/**'],
          globalSetup: ['e2e/lib/unpack-browser.ts'],
        },
      },
      {
        extends: true,
        test: {
          ...startsProcesses,
          name: 'faults',
          include: faults,
          // nodes.test.ts kills a node while it delivers, too.
          exclude: [...configDefaults.exclude, 'e2e/faults/webhooks.test.ts'],
        },
      },
      {
        extends: true,
        test: { ...startsPostgres, name: 'more-postgres', include: suites(repeatedSuites) },
      },
      {
        extends: true,
        test: {
          ...startsProcesses,
          name: 'more-rounds',
          include: [
            ...faults,
            'packages/server/test/qr/grid.test.ts',
            'packages/server/src/qr/logo/hostile-images.test.ts',
          ],
          ...oneFileAtATime,
          testTimeout: 600_000,
          provide: { isRepeating: true },
        },
      },
      {
        extends: true,
        test: {
          ...startsProcesses,
          name: 'more-tools',
          include: ['e2e/tools/**/*.test.ts'],
          ...oneFileAtATime,
          testTimeout: 600_000,
        },
      },
    ],
  },
});
