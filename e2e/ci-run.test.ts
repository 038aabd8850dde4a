import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { root, scratchFolder } from './lib/processes.js';

interface Stage {
  readonly output: string;
  readonly exitCode: number;
}

/** Runs .ci/run with an npm that prints these outputs instead of running the scripts. */
function runCi(stages: Readonly<Record<'check' | 'test' | 'test:more', Stage>>) {
  const bin = scratchFolder();
  const cases = Object.entries(stages).map(
    ([script, { output, exitCode }]) => `${script}) echo '${output}'; exit ${exitCode};;`,
  );
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\ncase "$3" in\n${cases.join('\n')}\nesac\n`, {
    mode: 0o755,
  });
  const { status, stdout } = spawnSync(join(root, '.ci/run'), {
    encoding: 'utf8',
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
  });
  return { status, lastLine: stdout.trimEnd().split('\n').at(-1), stdout };
}

const checks = { output: '24 passed, 0 failed', exitCode: 0 };

test('.ci/run closes with the sum of both test stages', () => {
  expect(
    runCi({
      check: checks,
      test: { output: '✓ 1 passed, 2 failed\n3000 passed, 0 failed, 2 skipped', exitCode: 0 },
      'test:more': { output: '500 passed, 0 failed', exitCode: 0 },
    }),
  ).toMatchObject({ status: 0, lastLine: '3500 passed, 0 failed' });
});

test('.ci/run runs every stage after a failure, and counts failed checks as failures', () => {
  const { status, lastLine, stdout } = runCi({
    check: { output: '22 passed, 2 failed', exitCode: 1 },
    test: { output: '2999 passed, 1 failed', exitCode: 1 },
    'test:more': { output: '500 passed, 0 failed', exitCode: 0 },
  });
  expect({ status, lastLine }).toEqual({ status: 1, lastLine: '3499 passed, 3 failed' });
  expect(stdout).toContain('== npm run test:more ended with exit code 0');
});

test('.ci/run counts a stage that ends without a closing line as one failure', () => {
  expect(
    runCi({
      check: checks,
      test: { output: 'npm: something broke', exitCode: 7 },
      'test:more': { output: '500 passed, 0 failed', exitCode: 0 },
    }),
  ).toMatchObject({ status: 1, lastLine: '500 passed, 1 failed' });
});
