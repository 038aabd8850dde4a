import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const guide = '../../docs/sdk.md';
const verifier = join(root, '../webhook-verifier');

/** The names of the sources of a package, without tests and generated files. */
function sourcesOf(root: string): string[] {
  const names = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => /^(?!generated.(api|fixtures|types)).*(?<!\.test)\.ts$/.test(name))
    .map((name) => join('src', name));
}

/** Returns each ```ts block of the files, by the name of a module in the tests' folder. */
function examplesOf(root: string, files: readonly string[]): Map<string, string> {
  const examples = new Map<string, string>();
  for (const name of files) {
    const text = readFileSync(join(root, name), 'utf8');
    const fences = text.matchAll(/^[ *]*```ts\n([\s\S]*?)^[ *]*```$/gm);
    for (const { 1: code = '', index } of fences) {
      const line = text.slice(0, index).split('\n').length;
      const file = join(root, 'test', `${name.replaceAll(/\W+/g, '-')}-${line}.ts`);
      // A comment cannot hold the slash that ends it.
      const unquoted = code.replaceAll('*\\/', '*/');
      examples.set(file, name.endsWith('.ts') ? unquoted.replace(/^ *\* ?/gm, '') : unquoted);
    }
  }
  return examples;
}

/** Compiles each example as a module. Returns the compiler's errors in them. */
function compile(examples: ReadonlyMap<string, string>, options: ts.CompilerOptions): string[] {
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (name) => examples.has(name) || fileExists(name);
  host.getSourceFile = (name, version, ...rest) => {
    const code = examples.get(name);
    if (code === undefined) return getSourceFile(name, version, ...rest);
    // The empty export makes an example without imports a module, too.
    return ts.createSourceFile(name, `${code}\nexport {};\n`, version);
  };
  const program = ts.createProgram([...examples.keys()], options, host);
  // Of the examples only: `npm run check` reports the errors of the sources.
  return [...examples.keys()].flatMap((name) => {
    const file = program.getSourceFile(name);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ messageText }) => `${name}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
  });
}

it('the examples of the sources, the READMEs and the guide compile', { timeout: 60_000 }, () => {
  const found = examplesOf(root, [...sourcesOf(root), 'README.md', guide]);
  const ofVerifier = examplesOf(verifier, ['README.md', ...sourcesOf(verifier)]);
  expect(ofVerifier.size).toBeGreaterThan(8);
  const examples = new Map([
    ...ofVerifier,
    // Comments of methods leave out the client, which each of them needs.
    ...[...found].map(([name, code]): [string, string] => [
      name,
      name.includes('/src-') && !code.includes('new Shorty(')
        ? `import { Shorty as Client } from '@shorty/sdk';\nconst shorty = new Client();\n${code}`
        : code,
    ]),
  ]);
  const countOf = (part: string) => [...found.keys()].filter((name) => name.includes(part)).length;
  expect(countOf('/src-')).toBeGreaterThan(15);
  expect(countOf('/README-')).toBe(1);
  expect(countOf('docs-sdk-')).toBeGreaterThan(4);

  const config = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const compilerOptions: ts.CompilerOptions = {
    ...options,
    composite: false,
    incremental: false,
    noEmit: true,
    noUnusedLocals: false,
    lib: ['lib.es2023.d.ts', 'lib.es2024.string.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    paths: {
      '@shorty/sdk': [join(root, 'src/index.ts')],
      '@shorty/sdk/webhooks': [join(verifier, 'src/index.ts')],
      '@shorty/sdk/testing': [join(root, 'src/testing.ts')],
      '@shorty/webhook-verifier': [join(verifier, 'src/index.ts')],
      '@shorty/webhook-verifier/web': [join(verifier, 'src/web.ts')],
      '@shorty/webhook-verifier/dedupe': [join(verifier, 'src/dedupe.ts')],
      '@shorty/webhook-verifier/*': [join(verifier, 'src/adapters/*.ts')],
    },
  };
  delete compilerOptions.rootDir;
  delete compilerOptions.tsBuildInfoFile;
  expect(compile(examples, compilerOptions)).toEqual([]);
});

describe('docs/sdk.md', () => {
  it('names every option', () => {
    const text = readFileSync(join(root, guide), 'utf8');
    const options = readFileSync(join(root, 'src/options.ts'), 'utf8');
    const names = Array.from(options.matchAll(/^ {2}(?:readonly )?(\w+)\??:/gm), ({ 1: n }) => n);
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !text.includes(`\`${name}`))).toEqual([]);
  });

  it('names every error', async () => {
    const text = readFileSync(join(root, guide), 'utf8');
    const classes = Object.keys(await import('../src/index.js')).filter((n) =>
      /^[A-Z].*Error$/.test(n),
    );
    expect(classes.length).toBeGreaterThan(14);
    expect(classes.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});
