import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { codeBlocksOf } from './lib/guides.js';
import {
  credentials,
  environmentWithoutSettings,
  freePort,
  root,
  scratchFolder,
} from './lib/processes.js';

const cli = join(root, 'packages/cli/bin/shorty.js');
const server = join(root, 'packages/server/bin/shorty-server.js');

/**
 * What replaces the commands that need systemd or Docker. Both run the same process as the unit and the
 * image. `git` and `npm` would change this repository.
 */
const replacements = {
  'shorty-server': `exec "${process.execPath}" "${server}" "$@"`,
  git: 'exit 0',
  npm: 'exit 0',
  npx: `
    [ "$1" = shorty ] || exec "$@"
    shift; exec "${process.execPath}" "${cli}" "$@"`,
  systemctl: `
    if [ "$1" != start ] && [ -f "$RUN/pid" ]; then
      kill "$(cat "$RUN/pid")"; tail --pid="$(cat "$RUN/pid")" -f /dev/null; rm "$RUN/pid"
    fi
    [ "$1" = stop ] && exit
    [ -f "$RUN/pid" ] && exit
    shorty-server start >> "$RUN/log" 2>&1 < /dev/null &
    echo $! > "$RUN/pid"
    until shorty-server health > "$RUN/health" 2>&1; do kill -0 "$(cat "$RUN/pid")"; done`,
  docker: `
    [ "$1" = compose ] || exit 1
    verb="$2"; shift 2
    case "$verb" in
      up | start) exec systemctl start ;;
      stop) exec systemctl stop ;;
      logs) cat "$RUN/log" ;;
      exec) shift; exec "$@" ;;
      run)
        shift
        [ "$1" = --entrypoint ] && { program="$2"; shift 3; exec "$program" "$@"; }
        shift; exec shorty-server "$@" ;;
      build) exit 0 ;;
      cp) cp "\${1#shorty:}" "$2" ;;
      *) exit 1 ;;
    esac`,
};

/** Creates a machine: a folder with the replaced commands, and the settings of the service. */
async function newMachine() {
  const folder = scratchFolder();
  for (const name of ['bin', 'run', 'backups', 'lib', 'work']) mkdirSync(join(folder, name));
  for (const [name, script] of Object.entries(replacements)) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/bash\nset -e\n${script}\n`, { mode: 0o755 });
  }
  const port = await freePort();
  const environment = {
    ...environmentWithoutSettings(),
    ...credentials,
    PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
    HOME: join(folder, 'work'),
    RUN: join(folder, 'run'),
    PORT: String(port),
    SHORTY_ADMIN_LISTEN: `127.0.0.1:${await freePort()}`,
    SHORTY_BASE_URL: `http://localhost:${port}`,
    SHORTY_DATABASE_URL: `file:${join(folder, 'lib/shorty.db')}`,
  };
  onTestFinished(() => {
    const pid = join(folder, 'run/pid');
    if (existsSync(pid)) process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL');
  });
  return {
    folder,
    run(code: string): string {
      const local = code
        .replaceAll('/backups/', `${folder}/backups/`)
        .replaceAll('/var/lib/shorty/', `${folder}/lib/`)
        .replaceAll('/data/', `${folder}/lib/`)
        .replaceAll('/opt/shorty/', root)
        .replaceAll('/opt/shorty', root);
      const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', local], {
        cwd: join(folder, 'work'),
        env: environment,
        encoding: 'utf8',
        timeout: 60_000,
      });
      if (status !== 0) throw new Error(`${local} exited with ${status}\n${stdout}${stderr}`);
      return stdout;
    },
  };
}

it('an operator can follow the guides', async () => {
  const machine = await newMachine();
  const blocks = [
    'README',
    'docs/docker',
    'docs/systemd',
    'docs/self-hosting',
    'docs/backups',
    'docs/upgrading',
  ]
    .map((page) => `${page}.md`)
    .flatMap(codeBlocksOf)
    .filter(({ run, place, code }) =>
      // The others are not for operators.
      place.startsWith('README.md') ? code.includes('docker compose') : run !== undefined,
    );
  const outputs = new Map<string, string>();
  for (const { code, place } of blocks) {
    // The guides show each of these folders once with systemd and once with Docker.
    for (const name of ['old', 'failed-upgrade']) {
      rmSync(join(machine.folder, 'lib', name), { recursive: true, force: true });
    }
    const output = machine.run(code);
    outputs.set(code, output);
    if (code.includes('doctor --check')) {
      expect(output, place).toContain('Visits and counters agree.');
    }
  }
  const outputOf = (part: string) =>
    [...outputs].find(([code]) => code.includes(part))?.[1] ?? `no block has ${part}`;
  expect(outputOf('COMPOSE_FILE=')).toContain('default');
  expect(outputOf('today.db.key .')).toContain('checked.');
  expect(existsSync(join(machine.folder, 'work/today.db.key'))).toBe(true);
  expect(outputOf('systemctl stop')).toContain('Moved the old files to');
  expect(outputOf('compose run --rm shorty restore')).toContain('Moved the old files to');
  expect(outputOf('mktemp')).toContain('Restored');
  expect(outputOf('&& npm run build')).toContain('Restored');
  expect(outputOf('--entrypoint sh')).toContain('Restored');
  expect(blocks.length).toBeGreaterThanOrEqual(13);
});

it('the settings of compose.yaml start a server that passes the health check of the image', async () => {
  const machine = await newMachine();
  const file = readFileSync(join(root, 'compose.yaml'), 'utf8');
  const image = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const [, check = ''] = /^HEALTHCHECK .*\\\n\s+CMD (\[.*\])$/m.exec(image) ?? [];
  const [command, ...args] = JSON.parse(check) as string[];
  expect(command).toBe('shorty-server');
  const settings = Array.from(
    file
      .replace('/backups\n', `${machine.folder}/backups\n`)
      .matchAll(/^ {6}(SHORTY_\w+): (.*)$/gm),
  )
    .filter(([, name = '']) => !/ADMIN_LISTEN|BASE_URL/.test(name))
    .map(([, name, value = '']) => `${name}='${value.replace(/^\$\{\w+:?-(.*)\}$/, '$1')}'`);
  expect(settings).toContain("SHORTY_TRUST_PROXY='10.80.30.1'");
  expect(settings).toContain("SHORTY_BACKUP_SCHEDULE='0 3 * * *'");
  expect(settings).toContain(`SHORTY_BACKUP_FOLDER='${machine.folder}/backups'`);
  expect(
    machine.run(`export ${settings.join(' ')}\nsystemctl start\n${command} ${args.join(' ')}`),
  ).toBe('ready\n');
  expect(readFileSync(join(machine.folder, 'run/log'), 'utf8')).not.toMatch(
    /"level":[45]0.*setting/,
  );
});
