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

export default defineConfig({
  resolve: { alias },
  test: {
    reporters: ['default', './scripts/closing-line-reporter.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'packages',
          include: ['packages/*/{src,test}/**/*.test.{ts,tsx}'],
          exclude: [...configDefaults.exclude, 'packages/server/test/postgres/**'],
          testTimeout: 20_000,
          // Ink draws no live view where these say that nobody watches.
          env: { CI: 'false', CONTINUOUS_INTEGRATION: 'false' },
        },
      },
      {
        extends: true,
        // What runs on SQLite above runs on PostgreSQL here.
        test: {
          name: 'postgres',
          include: [
            'packages/server/test/{api,analytics,webhooks,isolation,contract,storage,postgres,transfer}/**/*.test.ts',
          ],
          exclude: [
            ...configDefaults.exclude,
            // Files, and what may become of them.
            'packages/server/test/storage/{checkpoints,file-mode,full-disk,query-plans,unavailable-storage}.test.ts',
          ],
          globalSetup: ['packages/server/test/postgres/global-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        // End-to-end tests start processes and kill them: one file at a time keeps them honest.
        test: {
          name: 'e2e',
          include: ['{e2e,examples}/**/*.test.ts'],
          // The proxies come from no package of npm. .ci/run sets these to what .ci/caddy and
          // .ci/nginx print.
          exclude: [
            ...configDefaults.exclude,
            ...(process.env.SHORTY_CADDY ? [] : ['e2e/caddy/**']),
            ...(process.env.SHORTY_NGINX ? [] : ['e2e/nginx/**']),
          ],
          testTimeout: 180_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
