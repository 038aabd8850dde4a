import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { build, root } from '../../../../../scripts/bootstrap.mjs';
import { expectNoErrorsOfDoctor, type Running, run } from '../../operator/server-process.js';
import { poll, thinkTime } from '../../poll.js';
import { type PostgresServer, startPostgres } from '../start-postgres.js';

const unit = readFileSync(join(root, 'deploy/shorty.service'), 'utf8');
const settingOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];

// The defaults of systemd.
const defaultIntervalSec = 10;
const burst = 5;

/** Restarts a command by the rules of the unit, as systemd does. */
function supervise(start: () => Running) {
  const intervalMs = Number(settingOf('StartLimitIntervalSec') ?? defaultIntervalSec) * 1_000;
  const restartMs = Number(settingOf('RestartSec')) * 1_000;
  const startedAt: number[] = [];
  let current: Running | undefined;
  let isOver = false;
  const ended = (async () => {
    for (;;) {
      const recent = startedAt.filter((at) => performance.now() - at < intervalMs);
      if (recent.length >= burst) return 'start limit hit';
      startedAt.push(performance.now());
      current = start();
      const { code } = await current.ended;
      if (isOver || code === 0) return 'stopped';
      if (code === Number(settingOf('RestartPreventExitStatus'))) return 'restart prevented';
      await thinkTime(restartMs);
    }
  })();
  return {
    starts: () => startedAt.length,
    output: () => current?.output() ?? '',
    ended,
    stop() {
      isOver = true;
      current?.child.kill('SIGTERM');
      return ended;
    },
  };
}

let postgres: PostgresServer;
beforeAll(async () => {
  build();
  postgres = await startPostgres();
}, 120_000);
afterAll(() => postgres.stop());

it('a supervised server listens once its PostgreSQL is back, however often its start failed', async () => {
  expect(settingOf('Restart')).toBe('on-failure');
  await postgres.createDatabase('supervised');
  await postgres.kill();
  const journalFolder = mkdtempSync(join(tmpdir(), 'shorty-supervised-'));
  onTestFinished(() => rmSync(journalFolder, { recursive: true, force: true }));
  const settings = {
    SHORTY_DATABASE_URL: postgres.urlOf('supervised'),
    SHORTY_JOURNAL_FOLDER: join(journalFolder, 'visits'),
    PORT: '0',
  };
  const supervisor = supervise(() => run(settings, ['start']));
  const gaveUp = supervisor.ended.then((reason) => {
    throw new Error(`the supervisor ended: ${reason}`);
  });
  const failed = poll(
    'the sixth start',
    async () => supervisor.starts(),
    (count) => count > burst,
    {
      timeoutMs: 60_000,
    },
  );
  await Promise.race([failed, gaveUp]);
  expect(supervisor.output()).not.toContain('listening');
  await postgres.start();
  const listening = poll(
    'the server listens',
    async () => supervisor.output(),
    (output) => output.includes('Shorty is listening'),
    { timeoutMs: 30_000 },
  );
  await Promise.race([listening, gaveUp]);
  gaveUp.catch(() => undefined);
  expect(await supervisor.stop()).toBe('stopped');
  await expectNoErrorsOfDoctor(settings);
});

it('a supervised server whose setting is wrong is not restarted', async () => {
  const supervisor = supervise(() => run({ PORT: '0', SHORTY_RATE_LIMIT: 'many' }, ['start']));
  expect(await supervisor.ended).toBe('restart prevented');
  expect(supervisor.starts()).toBe(1);
});
