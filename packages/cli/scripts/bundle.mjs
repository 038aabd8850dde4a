// What every bundle of the CLI's sources has in common.
import { fileURLToPath } from 'node:url';

export const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url));

export const bundleOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  jsx: 'automatic',
  // The sources, because a build of them may be stale.
  alias: {
    '@shorty/sdk': path('../sdk/src/index.ts'),
    '@shorty/import': path('../import/src/index.ts'),
    '@shorty/report': path('../report/src/index.ts'),
    '@shorty/webhook-verifier': path('../webhook-verifier/src/index.ts'),
  },
  // CommonJS dependencies load Node's own modules with require.
  banner: {
    js: "import { createRequire as createRequireOf } from 'node:module'; const require = createRequireOf(import.meta.url);",
  },
};
