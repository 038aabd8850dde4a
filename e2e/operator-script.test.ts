import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { root, scratchFolder } from './lib/processes.js';

/** As systemd-run: variables of -E, replaced by those of each EnvironmentFile, and no others. */
const systemdRun = `#!/bin/bash
set -e
given=() files=()
while [ $# -gt 0 ]; do
  case "$1" in
    -E) given+=("$2"); shift 2 ;;
    -p) case "$2" in EnvironmentFile=-*) ;; EnvironmentFile=*) files+=("\${2#EnvironmentFile=}") ;; esac; shift 2 ;;
    --*) shift ;;
    *) break ;;
  esac
done
for file in "\${files[@]}"; do while IFS= read -r line; do given+=("$line"); done < "$file"; done
echo "$@"
exec env -i "\${given[@]}" PATH="$PATH" env
`;

/** Runs the script for operator commands. Returns the command and its environment. */
function run(variables: Record<string, string>, args: readonly string[]) {
  const folder = scratchFolder();
  for (const name of ['bin', 'tmp']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'bin', 'systemd-run'), systemdRun);
  chmodSync(join(folder, 'bin', 'systemd-run'), 0o755);
  const { status, stdout, stderr } = spawnSync(join(root, 'deploy/shorty-server'), args, {
    encoding: 'utf8',
    env: {
      PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
      TMPDIR: join(folder, 'tmp'),
      HOME: folder,
      ...variables,
    },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  // It leaves no file with secrets.
  expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
  const [command = '', ...lines] = stdout.trimEnd().split('\n');
  const pairs = lines.map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]);
  return { command, environment: Object.fromEntries(pairs) as Record<string, string> };
}

it('the script for operator commands has the settings of the service', () => {
  const { command, environment } = run({}, ['doctor', '--check']);
  expect(command).toBe('/opt/shorty/packages/server/bin/shorty-server doctor --check');
  expect(environment).toMatchObject({
    SHORTY_DATABASE_URL: 'file:/var/lib/shorty/shorty.db',
    SHORTY_JOURNAL_FOLDER: '/var/lib/shorty/visits',
    SHORTY_ADMIN_LISTEN: '127.0.0.1:3001',
  });
  expect(environment).not.toHaveProperty('HOME');
});

it('the script for operator commands passes on variables of its caller, outside the arguments', () => {
  const address = 'postgres://shorty:pass%20word@db.example/restored?sslmode=verify-full';
  const restored = run({ SHORTY_DATABASE_URL: address }, ['doctor']);
  expect(restored.environment).toMatchObject({
    SHORTY_DATABASE_URL: address,
    SHORTY_DATABASE_URL_FILE: '',
  });
  expect(restored.command).not.toContain('pass');
  const target = run({ SHORTY_DATABASE_URL_FILE: '/etc/shorty/postgres-url' }, ['migrate']);
  expect(target.environment).toMatchObject({
    SHORTY_DATABASE_URL: '',
    SHORTY_DATABASE_URL_FILE: '/etc/shorty/postgres-url',
  });
  const node = run({ SHORTY_ADMIN_LISTEN: '127.0.0.1:3201' }, ['health']);
  expect(node.environment).toMatchObject({ SHORTY_ADMIN_LISTEN: '127.0.0.1:3201' });
});
