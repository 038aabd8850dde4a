import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs the check of imports on a server with these files. */
function check(files: Readonly<Record<string, string>>): { status: number | null; output: string } {
  const folder = mkdtempSync(join(tmpdir(), 'shorty-layers-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['.dependency-cruiser.mjs', 'tsconfig.base.json']) {
    cpSync(join(root, name), join(folder, name));
  }
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, 'packages/server/src', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const { status, stdout, stderr } = spawnSync(
    join(root, 'node_modules/.bin/depcruise'),
    ['--config', '.dependency-cruiser.mjs', 'packages/server/src'],
    { cwd: folder, encoding: 'utf8' },
  );
  return { status, output: stdout + stderr };
}

const storage = 'export interface Row { readonly id: number }\n';

it('accepts an import from a lower layer', () => {
  const { status, output } = check({
    'urls/url.ts': "import type { Row } from '../storage/row.js';\nexport type Url = Row;\n",
    'storage/row.ts': storage,
  });
  expect(output).toMatch(/no dependency violations/);
  expect(status).toBe(0);
});

it.each([
  ['a value', "import { url } from '../urls/url.js';\nexport const row = url;\n"],
  ['a type', "import type { Url } from '../urls/url.js';\nexport type Row = Url;\n"],
])('rejects an import of %s from a higher layer', (_what, text) => {
  const { status, output } = check({
    'urls/url.ts': 'export const url = 1;\nexport type Url = number;\n',
    'storage/row.ts': text,
  });
  expect(output).toContain('storage-imports-downwards');
  expect(status).not.toBe(0);
});

it('rejects two files that import each other', () => {
  const { status, output } = check({
    'urls/one.ts': "import type { Two } from './two.js';\nexport type One = Two | 1;\n",
    'urls/two.ts': "import type { One } from './one.js';\nexport type Two = One | 2;\n",
  });
  expect(output).toContain('no-cycle');
  expect(status).not.toBe(0);
});

it('rejects a module without a layer', () => {
  const { status, output } = check({
    'extras/extra.ts': "import type { Row } from '../storage/row.js';\nexport type Extra = Row;\n",
    'storage/row.ts': storage,
  });
  expect(output).toContain('module-has-a-layer');
  expect(status).not.toBe(0);
});
