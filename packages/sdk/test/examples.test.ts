import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Returns the code of all ```ts fences of a file, each with its file and line. */
function examplesIn(file: string): [string, string][] {
  const text = readFileSync(file, 'utf8');
  const isDoc = file.endsWith('.ts');
  const fences = text.matchAll(/^[ *]*```ts\n([\s\S]*?)^[ *]*```$/gm);
  return Array.from(fences, ({ 1: code = '', index }) => {
    const line = text.slice(0, index).split('\n').length;
    return [`${relative(root, file)}:${line}`, isDoc ? code.replace(/^ *\* ?/gm, '') : code];
  });
}

function sources(): string[] {
  const names = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /^(?!generated.(api|fixtures|types)).*(?<!\.test)\.ts$/.test(name));
}

const guide = join(root, '../../docs/sdk.md');
const files = [...sources().map((name) => join(root, 'src', name)), join(root, 'README.md'), guide];
const examples = new Map(
  files
    .flatMap(examplesIn)
    .map(([place, code], at) => [join(root, 'test', `example-${at}.ts`), { place, code }]),
);

/** Comments of methods leave out the client, which each of them needs. */
function clientFor({ place, code }: { place: string; code: string }): string {
  const isComment = place.startsWith('src/') && !code.includes('new Shorty(');
  return isComment
    ? "import { Shorty as Client } from '@shorty/sdk';\nconst shorty = new Client();\n"
    : '';
}

/** Compiles each example as a module. Returns the compiler's errors. */
function compile(): string[] {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const compilerOptions: ts.CompilerOptions = {
    ...options,
    composite: false,
    incremental: false,
    noEmit: true,
    noUnusedLocals: false,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    paths: {
      '@shorty/sdk': [join(root, 'src/index.ts')],
      '@shorty/sdk/webhooks': [join(root, '../webhook-verifier/src/index.ts')],
      '@shorty/sdk/testing': [join(root, 'src/testing.ts')],
    },
  };
  delete compilerOptions.rootDir;
  delete compilerOptions.tsBuildInfoFile;
  const host = ts.createCompilerHost(compilerOptions);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (name) => examples.has(name) || fileExists(name);
  host.readFile = (name) => examples.get(name)?.code ?? readFile(name);
  host.getSourceFile = (name, version, ...rest) => {
    const example = examples.get(name);
    if (!example) return getSourceFile(name, version, ...rest);
    // The empty export makes an example without imports a module, too.
    return ts.createSourceFile(name, `${clientFor(example)}${example.code}\nexport {};\n`, version);
  };
  const program = ts.createProgram([...examples.keys()], compilerOptions, host);
  // Of the examples only: `npm run check` reports the errors of the sources.
  const errors = [...examples.keys()].flatMap((name) => {
    const file = program.getSourceFile(name);
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
  });
  return errors.map(({ file, messageText }) => {
    const place = examples.get(file?.fileName ?? '')?.place ?? file?.fileName;
    return `${place}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}

describe('the examples', () => {
  it('are found in the sources, the README and the guide', () => {
    const places = [...examples.values()].map(({ place }) => place);
    expect(places.filter((place) => place.startsWith('src/')).length).toBeGreaterThan(15);
    expect(places.filter((place) => place.startsWith('README.md'))).toHaveLength(1);
    expect(places.filter((place) => place.includes('docs/sdk.md')).length).toBeGreaterThan(4);
  });

  it('compile', { timeout: 60_000 }, () => expect(compile()).toEqual([]));
});

describe('docs/sdk.md', () => {
  it('names every option', () => {
    const text = readFileSync(guide, 'utf8');
    const options = readFileSync(join(root, 'src/options.ts'), 'utf8');
    const names = Array.from(options.matchAll(/^ {2}(?:readonly )?(\w+)\??:/gm), ({ 1: n }) => n);
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !text.includes(`\`${name}`))).toEqual([]);
  });

  it('names every error', async () => {
    const text = readFileSync(guide, 'utf8');
    const classes = Object.keys(await import('../src/index.js')).filter((n) =>
      /^[A-Z].*Error$/.test(n),
    );
    expect(classes.length).toBeGreaterThan(14);
    expect(classes.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});
