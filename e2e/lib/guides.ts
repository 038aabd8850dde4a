import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { linesNotRun } from './commands-not-run.js';
import { root } from './processes.js';

export interface CodeBlock {
  /** File and line, for messages. */
  readonly place: string;
  readonly language: string;
  readonly code: string;
  /** The word after `test:run` in the comment before the block. Undefined without the comment. */
  readonly run: string | undefined;
}

/** Returns the Markdown files with instructions: README files and guides. */
export function guides(): string[] {
  // Packages that are not published have none.
  const packages = readdirSync(join(root, 'packages'))
    .map((name) => `packages/${name}/README.md`)
    .filter((path) => existsSync(join(root, path)));
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  return ['README.md', 'CONTRIBUTING.md', ...packages, ...docs.map((name) => `docs/${name}`)];
}

export function codeBlocksOf(file: string): CodeBlock[] {
  const text = readFileSync(join(root, file), 'utf8');
  const fences = text.matchAll(
    /(?: *<!-- test:run(?: (\S+))? -->\n)?^( *)```(\w*)\n([\s\S]*?)^ *```$/gm,
  );
  return Array.from(
    fences,
    ({ 0: whole, 1: name, 2: indent = '', 3: language = '', 4: code = '', index }) => ({
      place: `${file}:${text.slice(0, index).split('\n').length}`,
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      run: whole.trimStart().startsWith('<!--') ? (name ?? '') : undefined,
    }),
  );
}

/** Returns the code of a block that is run, without the lines that no test runs. */
export function withoutLinesNotRun(code: string): string {
  const lines = code.split('\n').filter((line) => !Object.hasOwn(linesNotRun, line));
  return lines.join('\n');
}

/** Returns the words of each command line of a program in a shell block, without comments. */
export function commandLinesOf(code: string, program: string): string[][] {
  const lines = code.replaceAll(/\\\n\s*/g, ' ').split('\n');
  return lines.flatMap((line) => {
    const found: string[][] = [];
    for (const part of line.replace(/(^|\s)#.*$/, '').split(/\s(?:\|\|?|&&|&)\s?/)) {
      const words = (part.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) =>
        word.replaceAll(/^['"]|['"]$/g, ''),
      );
      const start = words.indexOf(program);
      const before = words.slice(0, Math.max(start, 0));
      if (start >= 0 && before.every((word) => word === 'npx' || /^[A-Z_]+=/.test(word))) {
        found.push(words.slice(start + 1));
      }
    }
    return found;
  });
}
