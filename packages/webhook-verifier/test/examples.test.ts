import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Every ts block of the README and the doc comments, as a module beside this file. */
async function collectExamples(): Promise<Map<string, string>> {
  const sources = (await readdir(join(root, 'src'), { recursive: true })).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  );
  const examples = new Map<string, string>();
  for (const name of ['README.md', ...sources.map((source) => join('src', source))]) {
    const text = (await readFile(join(root, name), 'utf8')).replaceAll(/^ \* ?/gm, '');
    for (const [index, block] of [...text.matchAll(/```ts\n(.*?)```/gs)].entries()) {
      const file = join(root, 'test', `${name.replaceAll(/\W/g, '-')}-${index}.ts`);
      // A comment cannot hold the slash that ends it.
      examples.set(file, `${String(block[1]).replaceAll('*\\/', '*/')}\nexport {};\n`);
    }
  }
  return examples;
}

it('the examples of the README and the doc comments compile', async () => {
  const examples = await collectExamples();
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
  const host = ts.createCompilerHost(options);
  const read = host.getSourceFile.bind(host);
  const exists = host.fileExists.bind(host);
  host.fileExists = (file) => examples.has(file) || exists(file);
  host.getSourceFile = (file, target) => {
    const example = examples.get(file);
    return example === undefined ? read(file, target) : ts.createSourceFile(file, example, target);
  };
  const program = ts.createProgram([...examples.keys()], options, host);
  const errors = ts
    .getPreEmitDiagnostics(program)
    .map(({ file, messageText }) => [
      file?.fileName,
      ts.flattenDiagnosticMessageText(messageText, '\n'),
    ]);
  expect(errors).toEqual([]);
  expect(examples.size).toBeGreaterThan(10);
}, 120_000);
