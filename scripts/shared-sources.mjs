// Copies the source that packages share into those that must not import it: the SDK and the verifier
// have no dependency, and what the verifier exports is public.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bootstrap.mjs';

const original = 'packages/webhook-verifier/src/nearest-name.ts';

/** The copies, below packages. */
const copies = [
  'import/src/generated/nearest-name.ts',
  'sdk/src/generated/nearest-name.ts',
  'server/src/contract/nearest-name.ts',
];

export function writeSharedSources(pathOf) {
  const notice = `// Copied from ${original} by \`npm run generate\`. Do not edit.\n`;
  for (const copy of copies)
    writeFileSync(pathOf(copy), notice + readFileSync(join(root, original)));
}
