import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { pathOf } from '../src/command.js';
import { commands } from '../src/command-tree.js';
import { buildProgram } from '../src/program.js';
import { BuiltShorty } from './built-shorty.js';
import { fakeIo } from './fake-io.js';

function leavesOf(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

test('the man page has every command with its options, and no text that roff would drop', async () => {
  const shorty = await BuiltShorty.build();
  const manifest = new URL('../package.json', import.meta.url);
  const { man, version } = JSON.parse(await readFile(manifest, 'utf8'));
  // npm links a list only.
  expect(man).toEqual(['./dist/shorty.1']);
  const page = await readFile(join(dirname(shorty.binary), 'shorty.1'), 'utf8');
  const lines = page.trimEnd().split('\n');
  expect(lines[0]).toBe(`.TH SHORTY 1 "" "shorty ${version}" "Shorty"`);

  // roff ignores lines that begin with a dot or a quote, unless they are a request.
  const requests = /^\.(TH|SH|SS|TP|PP|RS|RE|nf|fi|B|I)( |$)/;
  expect(lines.filter((line) => /^[.']/.test(line) && !requests.test(line))).toEqual([]);
  expect(lines.filter((line) => /[^ -~]|(?<!\\)-/.test(line))).toEqual([]);

  const program = buildProgram(fakeIo(), async () => {});
  const sections = new Map<string, string>();
  for (const part of page.split('\n.SS ').slice(1)) {
    const text = part.replaceAll('\\-', '-').split('\n.SH ')[0] ?? '';
    const [heading = ''] = text.split('\n');
    sections.set(heading.replace(/ [[<].*/, ''), text);
  }
  expect([...sections.keys()]).toEqual(Object.keys(commands).map((words) => `shorty ${words}`));
  for (const command of leavesOf(program)) {
    const text = sections.get(`shorty ${pathOf(command)}`);
    for (const { hidden, flags } of command.options) {
      if (!hidden) expect(text).toContain(`\n.B ${flags}\n`);
    }
    const [example = ''] = commands[pathOf(command)]?.examples ?? [];
    expect(text).toContain(`\n.nf\n${example.replaceAll('\\', '\\e')}\n`);
  }
  for (const name of ['SHORTY_BASE_URL', 'SHORTY_DEBUG', '0', '143']) {
    expect(page).toContain(`\n.TP\n.B ${name}\n`);
  }
});
