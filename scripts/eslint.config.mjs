// Finds regular expressions of the shipped sources that take superlinear time on some input, and parts of the
// server that use one which is created after them. Biome does all other checks.
import parser from '@typescript-eslint/parser';
import redos from 'eslint-plugin-redos';

// On a busy machine an analysis takes long, and its verdict must be the same.
const timeout = 300_000;
// Quadratic time is enough for texts that are short, or that the user's own settings contain.
const shortTexts = [
  'packages/{cli,report,sdk}/src/**',
  'packages/server/src/config.ts',
  'packages/server/src/storage/locate-database.ts',
  // A header, which is cut at 1,168 characters first.
  'packages/webhook-verifier/src/signed-headers.ts',
  // User agents, which are cut at 1,024 characters first.
  'packages/server/src/analytics/classify/{program-agents,without-device}.ts',
];

export default [
  { ignores: ['**/dist', '**/*.test.{ts,tsx}', '**/generated'] },
  {
    files: ['**/*.{ts,tsx,mjs}'],
    languageOptions: { parser },
    plugins: { redos },
    rules: { 'redos/no-vulnerable': ['error', { timeout, ignoreErrors: false }] },
  },
  {
    files: shortTexts,
    rules: {
      'redos/no-vulnerable': [
        'error',
        { timeout, ignoreErrors: false, permittableComplexities: ['polynomial'] },
      ],
    },
  },
  {
    files: ['packages/server/src/create-server.ts'],
    // Also within functions, which might be called too early.
    rules: { 'no-use-before-define': ['error', { functions: false }] },
  },
];
