import { join } from 'node:path';

/** The packages in the bundle. They are not installed with the server, which saves 25 MB. */
export const bundled = [
  '@exodus/bytes',
  '@opentelemetry/api',
  'bintrees',
  'dom-serializer',
  'domelementtype',
  'domhandler',
  'domutils',
  'entities',
  'html-encoding-sniffer',
  'htmlparser2',
  'kysely',
  'lru-cache',
  'prom-client',
  'tdigest',
  'tldts',
  'tldts-core',
  'zod',
];

/** Returns the folders of the packages whose code is in a bundle, from esbuild's metafile. */
export function packagesIn({ outputs }, root) {
  const inputs = Object.values(outputs).flatMap((output) =>
    Object.entries(output.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0),
  );
  const folders = inputs
    .map(([path]) => /^.*\/?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0])
    .filter((path) => path !== undefined)
    .map((path) => join(root, path));
  return [...new Set(folders)].sort();
}
