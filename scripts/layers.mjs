// Which package may import which, and which module of the server. `npm run check` fails on an import that points
// upwards or closes a cycle, type imports included.

/** Top to bottom: a module imports those below it only. A name stands for a folder or a file. */
const layers = [
  ['bin', 'index'],
  ['operations'],
  ['create-server', 'server-options'],
  ['compat'],
  ['api'],
  ['health'],
  ['redirect'],
  ['lists', 'deletion'],
  ['webhooks'],
  ['qr', 'previews'],
  ['urls'],
  ['domains'],
  ['analytics'],
  ['events', 'generated'],
  ['organizations', 'people'],
  ['auth'],
  ['audit'],
  ['http'],
  ['idempotency'],
  ['preconditions'],
  ['pages'],
  ['threads'],
  ['config'],
  ['storage'],
  ['network'],
  // Small parts that depend on no module: the clock, queues, timers, errors.
  [
    'lifecycle',
    'fair-queue',
    'format-count',
    'loading-cache',
    'entry-limit',
    'collect-garbage',
    'contrast',
    'durations',
    'parse-accept',
    'yield-to-event-loop',
    'ports',
    'config-error',
    'version',
  ],
  ['contract'],
];

/** Top to bottom: a package imports those below it only, and no other package the server. */
const packages = [
  ['cli', 'dashboard'],
  ['server', 'import', 'report'],
  ['sdk'],
  ['webhook-verifier'],
];
const packagePath = (names) => `^packages/(${names.join('|')})/`;

const pathOf = (modules) => `^packages/server/src/(${modules.join('|')})(/|\\.ts$)`;

export default {
  forbidden: [
    {
      name: 'no-cycle',
      comment: 'Files in a cycle cannot be understood or tested separately.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...packages.slice(1).map((names, index) => ({
      name: `${names[0]}-imports-no-package-above`,
      comment: 'A package imports only packages below it.',
      severity: 'error',
      from: { path: packagePath(names) },
      to: { path: packagePath(packages.slice(0, index + 1).flat()) },
    })),
    {
      name: 'only-the-server-imports-the-server',
      comment: 'Other packages know the contract: openapi.yaml, and what is generated from it.',
      severity: 'error',
      from: { path: '^packages/(?!server/)' },
      to: { path: '^packages/server/' },
    },
    {
      name: 'no-platform-in-shared-packages',
      comment: 'The dashboard runs them in browsers.',
      severity: 'error',
      from: { path: packagePath(['import', 'report']) },
      to: { dependencyTypes: ['core'] },
    },
    ...layers.slice(1).map((modules, index) => ({
      name: `${modules[0]}-imports-downwards`,
      comment: 'Pass it in from create-server.ts, or move the shared part to a lower layer.',
      severity: 'error',
      from: { path: pathOf(modules) },
      to: { path: pathOf(layers.slice(0, index + 1).flat()) },
    })),
    {
      name: 'module-has-a-layer',
      comment: 'Add the module to the layers in scripts/layers.mjs.',
      severity: 'error',
      from: { path: '^packages/server/src/', pathNot: pathOf(layers.flat()) },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.test\\.ts$' },
    // Type imports count, because a reader has to follow them, too.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
};
