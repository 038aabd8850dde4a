import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tokenOf } from '../packages/server/test/operator/server-process.js';
import { blocksNotRun, linesNotRun } from './lib/commands-not-run.js';
import {
  type CodeBlock,
  codeBlocksOf,
  commandLinesOf,
  guides,
  withoutLinesNotRun,
} from './lib/guides.js';
import {
  accepts,
  credentials,
  environmentWithoutSettings,
  freePort,
  root,
  scratchFolder,
  startServer,
} from './lib/processes.js';

const blocks = guides().flatMap(codeBlocksOf);
const shellBlocks = blocks.filter(({ language }) => language === 'sh');

/** Runs a program with the given input and returns its output; throws when it fails. */
function run(folder: string, environment: NodeJS.ProcessEnv, command: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    env: { ...environmentWithoutSettings(), ...environment },
    encoding: 'utf8',
    // A command that waits for a signal would block the test for ever.
    timeout: 120_000,
  });
  if (status !== 0)
    throw new Error(`${command} ${args.at(-1)} exited with ${status}\n${stdout}${stderr}`);
  return stdout;
}

/** Creates a folder in which `npx shorty` and the packages come from this repository. */
function folderOfReader(): { folder: string; path: string } {
  const folder = scratchFolder();
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const shorty = `#!/bin/sh\nshift\nexec ${process.execPath} ${root}packages/cli/bin/shorty.js "$@"\n`;
  writeFileSync(join(bin, 'npx'), shorty, { mode: 0o755 });
  writeFileSync(join(bin, 'shorty'), shorty.replace('shift\n', ''), { mode: 0o755 });
  symlinkSync(join(root, 'examples'), join(folder, 'examples'));
  const scope = join(folder, 'node_modules/@shorty');
  mkdirSync(scope, { recursive: true });
  for (const name of ['sdk', 'webhook-verifier']) {
    symlinkSync(join(root, 'packages', name), join(scope, name));
  }
  symlinkSync(join(root, 'packages/sdk/node_modules/msw'), join(folder, 'node_modules/msw'));
  return { folder, path: [bin, process.env.PATH].join(delimiter) };
}

// The variables that code fragments of the guides use.
const prelude = `import { Shorty } from '@shorty/sdk';
const shorty = new Shorty({
  baseUrl: process.env.SHORTY_BASE_URL,
  clientId: process.env.SHORTY_CLIENT_ID,
  clientSecret: process.env.SHORTY_CLIENT_SECRET,
});
const url = await shorty.urls.create({ targetUrl: 'https://example.com' });
`;

const client = {
  clientId: credentials.SHORTY_CLIENT_ID,
  clientSecret: credentials.SHORTY_CLIENT_SECRET,
};

const toGuide = (name: string) => `docs/${name}.md`;

function markedBlocksOf(file: string): CodeBlock[] {
  return codeBlocksOf(file)
    .filter((block) => block.run !== undefined)
    .map((block) => (block.run === 'fragment' ? { ...block, run: 'fragment.mjs' } : block));
}

describe('the guides', () => {
  it('have no commands that no test runs without a reason', () => {
    const commands = blocks.filter(({ language }) => /^(sh|bash)$/.test(language));
    // The next two tests check these commands, and the tests of the packages run each of them, but not what
    // a shell does with their output.
    const isOnlyShorty = ({ code }: CodeBlock) =>
      code
        .replaceAll(/\\\n\s*/g, ' ')
        .split('\n')
        .every((line) =>
          /^(?:[A-Z_]+=(?:'[^']*'|[^\s|&;<>]*) ?)*(?:(?:npx )?shorty(?:-server)?\b[^|&;<>]*|\s*)(?:\s#.*)?$/.test(
            line,
          ),
        );
    const found = commands
      .filter((block) => block.run === undefined && !isOnlyShorty(block))
      .map(({ place, code }) => `${place.replace(/:\d+$/, '')}: ${code.split('\n')[0]}`);
    const known = Object.entries(blocksNotRun).flatMap(([file, reasons]) =>
      Object.keys(reasons).map((line) => `${file}: ${line}`),
    );
    expect(found.toSorted()).toEqual(known.toSorted());
    const lines = commands.filter(({ run }) => run !== undefined).map(({ code }) => code);
    const obsolete = Object.keys(linesNotRun).filter(
      (line) => !lines.some((code) => code.split('\n').includes(line)),
    );
    expect(obsolete).toEqual([]);
  });

  it('name commands and options of shorty that exist', () => {
    const reference = readFileSync(join(root, 'docs/reference/cli.md'), 'utf8');
    const [everywhere = '', ...sections] = reference.split(/^### /m);
    const optionsOf = (text: string) =>
      Array.from(text.matchAll(/--[a-z][a-z-]*/g), ([name]) => name);
    const commands = new Map(
      sections.map((section) => [section.split('\n')[0]?.replace(/^shorty /, '') ?? '', section]),
    );
    const errors: string[] = [];
    let checked = 0;
    for (const { place, code } of shellBlocks) {
      for (const words of commandLinesOf(code, 'shorty')) {
        const names = words.filter((word) => !word.startsWith('-'));
        const profile = words.indexOf('--profile');
        if (profile === 0) names.shift();
        const section = [3, 2, 1]
          .map((count) => commands.get(names.slice(0, count).join(' ')))
          .find((each) => each !== undefined);
        checked += 1;
        if (section === undefined) errors.push(`${place}: shorty ${words.join(' ')}`);
        const known = new Set([...optionsOf(section ?? ''), ...optionsOf(everywhere)]);
        for (const option of optionsOf(words.filter((word) => word.startsWith('--')).join(' '))) {
          if (!known.has(option)) errors.push(`${place}: shorty ${names[0]}: ${option}`);
        }
      }
    }
    expect(errors).toEqual([]);
    expect(checked).toBeGreaterThan(50);
  });

  it('name commands and options of shorty-server that exist', () => {
    const server = join(root, 'packages/server/bin/shorty-server.js');
    const help = new Map<string, string>();
    const helpOf = (names: string[]): string => {
      const key = names.join(' ');
      const known = help.get(key) ?? run(root, {}, process.execPath, server, ...names, '--help');
      help.set(key, known);
      return known;
    };
    const errors: string[] = [];
    let checked = 0;
    for (const { place, code } of shellBlocks) {
      for (const [first = '', ...rest] of commandLinesOf(code, 'shorty-server')) {
        const names = /^(orgs|clients|users|secrets)$/.test(first)
          ? [first, rest[0] ?? '']
          : [first];
        checked += 1;
        const text = helpOf(names);
        if (!text.startsWith(`Usage: shorty-server ${names.join(' ')}`)) {
          errors.push(`${place}: shorty-server ${names.join(' ')}`);
        }
        for (const option of rest.filter((word) => word.startsWith('--'))) {
          if (!text.includes(`${option} `)) errors.push(`${place}: ${names.join(' ')}: ${option}`);
        }
      }
    }
    expect(errors).toEqual([]);
    expect(checked).toBeGreaterThan(20);
  });

  it('run against a server', async () => {
    const { folder, path } = folderOfReader();
    const port = await freePort();
    const operator = { SHORTY_OPERATOR_KEY: 'operator-key-of-the-guides-0123456789' };
    const settings = { port, folder: scratchFolder(), environment: operator };
    const server = await startServer(settings);
    const signIn = { ...credentials, ...operator, PATH: path, SHORTY_BASE_URL: server.origin };
    const environment = { ...signIn, TOKEN: `${await tokenOf(server.origin, client)}` };
    const runBlock = ({ code, language, run: name = '' }: CodeBlock): string => {
      if (language === 'sh') {
        return run(folder, environment, 'bash', '-euo', 'pipefail', '-c', withoutLinesNotRun(code));
      }
      writeFileSync(join(folder, name), name === 'fragment.mjs' ? `${prelude}${code}` : code);
      return run(folder, environment, process.execPath, name);
    };

    const output = markedBlocksOf('docs/getting-started.md').map(runBlock);
    expect(output).toHaveLength(5);
    expect(output[0]).toContain('exit code 3');
    expect(readFileSync(join(folder, 'bad.csv'), 'utf8').trim().split('\n')).toHaveLength(16);
    expect(readFileSync(join(folder, 'all.ndjson'), 'utf8').trim().split('\n')).toHaveLength(1015);
    expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain('<!doctype html>');
    expect(output[3]).toContain(server.origin);
    expect(JSON.parse(output[4] ?? '')).toMatchObject({ success: true });

    const files = [
      'README.md',
      ...['api', 'qr', 'webhooks', 'cli', 'assistants', 'moving', 'sdk'].map(toGuide),
      ...['administration', 'analytics'].map(toGuide),
    ];
    // e2e/operator-guides.test.ts runs them.
    const isForOperators = ({ code }: CodeBlock) => code.includes('docker compose');
    const blocks = files.flatMap(markedBlocksOf).filter((block) => !isForOperators(block));
    expect(blocks.length).toBeGreaterThanOrEqual(20);
    for (const block of blocks) {
      const printed = runBlock(block);
      if (block.code.startsWith('curl')) expect(printed, block.place).toContain('"success":true');
    }
    expect(readFileSync(join(folder, 'poster.svg'), 'utf8')).toContain('<svg');
    const responses = readFileSync(join(folder, 'responses.ndjson'), 'utf8').trim().split('\n');
    const results = responses.map((line) => JSON.parse(line).result);
    expect(results[1].tools).toHaveLength(8);
    expect(results[2].structuredContent.items).toHaveLength(3);
  });

  it('the receiver of receivers.md accepts what its sender signs', async () => {
    const { folder } = folderOfReader();
    const port = await freePort();
    for (const { code, run: name = '' } of markedBlocksOf('docs/receivers.md')) {
      if (!/^(receive|send)\.mjs$/.test(name)) continue;
      writeFileSync(join(folder, name), code.replaceAll('4000', String(port)));
    }
    const receiver = spawn(process.execPath, ['receive.mjs'], { cwd: folder, stdio: 'ignore' });
    onTestFinished(() => {
      receiver.kill('SIGKILL');
    });
    await expect.poll(() => accepts(port), { timeout: 10_000 }).toBe(true);
    expect(run(folder, {}, process.execPath, 'send.mjs')).toBe('204\n');
  });
});
