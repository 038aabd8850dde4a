import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scratchFolder, tool } from '../lib/processes.js';
import { installShorty, Terminal } from '../lib/terminal.js';

/** How each shell starts without the files of the user, and how it loads the completion. */
const shells = {
  bash: {
    start: 'bash --norc --noprofile -i',
    load: "bind 'set show-all-if-ambiguous on'; source <(shorty completion bash)",
  },
  zsh: {
    start: 'zsh -f -i',
    // The script loads compinit.
    load: 'source <(shorty completion zsh)',
  },
  fish: {
    start: 'fish --no-config --interactive',
    load: 'shorty completion fish | source',
  },
} as const;

type Shell = keyof typeof shells;

/** Opens a terminal in which a shell has loaded the completion, in a folder with `links.csv`. */
async function openShell(shell: Shell): Promise<Terminal> {
  const folder = scratchFolder();
  writeFileSync(join(folder, 'links.csv'), 'url\n');
  const terminal = new Terminal({
    command: tool(shells[shell].start),
    cwd: folder,
    // Bash would write its history into the folder while the test removes it.
    env: { HOME: folder, PATH: installShorty(folder), PS1: '> ', HISTFILE: '/dev/null' },
  });
  // The quotes keep the typed line from matching.
  terminal.type(`${shells[shell].load}; echo "load""ed"\n`);
  await terminal.untilShows(/^loaded$/m);
  terminal.type('clear\n');
  await terminal.untilShows(/^\S* ?> ?$|^[^\n]*[>%$#] ?$/);
  return terminal;
}

test.each(Object.keys(shells) as Shell[])(
  '%s completes commands, options, values and files',
  async (shell) => {
    const terminal = await openShell(shell);
    const complete = async (line: string, ...expected: RegExp[]) => {
      // Only commands and options that take a file offer files.
      const isFile = / li$/.test(line);
      terminal.type(line);
      terminal.press('Tab');
      let screen = '';
      for (const pattern of expected) screen = await terminal.untilShows(pattern);
      expect(screen).not.toMatch(/error|unknown|not found|parse/i);
      if (!isFile) expect(screen).not.toMatch(/links\.csv|--base-url/);
      // Ends the line, and the list that fish and zsh show below it.
      terminal.press('C-c');
      terminal.type('\n');
      terminal.type('clear\n');
      await terminal.untilShows(/^[^\n]*[>%$#] ?$/);
    };
    await complete('shorty urls bulk-', /bulk-create/, /bulk-delete/, /bulk-update/);
    await complete('shorty --profile work config u', /config unset/);
    await complete('shorty urls list --no-ac', /list --no-active/);
    await complete('shorty urls list --output nd', /--output ndjson/);
    await complete('shorty urls list --output=nd', /--output=ndjson/);
    await complete('shorty analytics report --output ht', /--output html/);
    await complete('shorty webhooks deliveries x --status fa', /--status failed/);
    await complete('shorty urls bulk-create li', /bulk-create links\.csv/);
    await complete('shorty urls bulk-create links.csv --out li', /--out links\.csv/);
    await complete('shorty completion fi', /completion fish/);
    await complete('shorty urls create --redirect-type 307', /--redirect-type 307/);
    await complete('shorty import ', /bitly/, /tinyurl/);
  },
);
