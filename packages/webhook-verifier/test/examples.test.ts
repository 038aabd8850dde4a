import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { compile, examplesOf, sourcesOf } from '../../sdk/test/ts-examples.js';

const root = fileURLToPath(new URL('..', import.meta.url));

it('the examples of the README and the doc comments compile', () => {
  const examples = examplesOf(root, ['README.md', ...sourcesOf(root)]);
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts', 'lib.es2024.string.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    module: ts.ModuleKind.NodeNext,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
    types: ['node'],
    paths: {
      '@shorty/webhook-verifier': [join(root, 'src/index.ts')],
      '@shorty/webhook-verifier/web': [join(root, 'src/web.ts')],
      '@shorty/webhook-verifier/dedupe': [join(root, 'src/dedupe.ts')],
      '@shorty/webhook-verifier/*': [join(root, 'src/adapters/*.ts')],
    },
  };
  expect(compile(examples, options)).toEqual([]);
  expect(examples.size).toBeGreaterThan(10);
}, 120_000);
