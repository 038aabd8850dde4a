import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** The names of the sources of a package, without tests and generated files. */
export function sourcesOf(root: string): string[] {
  const names = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => /^(?!generated.(api|fixtures|types)).*(?<!\.test)\.ts$/.test(name))
    .map((name) => join('src', name));
}

/** Returns each ```ts block of the files, by the name of a module in the tests' folder. */
export function examplesOf(root: string, files: readonly string[]): Map<string, string> {
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
export function compile(
  examples: ReadonlyMap<string, string>,
  options: ts.CompilerOptions,
): string[] {
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
