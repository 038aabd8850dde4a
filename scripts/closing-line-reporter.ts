import { spawnSync } from 'node:child_process';
import type { Reporter, TestModule } from 'vitest/node';

/**
 * Closes the run with one plain line, `N passed, N failed`, that scripts can read. A server process
 * that a test left behind counts as a failure.
 */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) count[test.result().state] += 1;
      // A file that fails to load has no tests to count, yet it is a failure.
      if (module.state() === 'failed' && module.errors().length > 0) count.failed += 1;
    }
    for (const { pid, command } of abandonedServers()) {
      process.stdout.write(`\nA test left its server running (process ${pid}): ${command}\n`);
      process.kill(pid, 'SIGKILL');
      count.failed += 1;
      process.exitCode = 1;
    }
    const skipped = count.skipped + count.pending;
    process.stdout.write(
      `\n${count.passed} passed, ${count.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
    );
  }
}

/**
 * Returns the servers of this process group whose parent has ended. A server that `npm start` or
 * another run of the tests has started still has its parent. None where there is no `ps`.
 */
function abandonedServers(): { readonly pid: number; readonly command: string }[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,args='], { encoding: 'utf8' });
  const processes = (stdout ?? '').split('\n').flatMap((line) => {
    const [, pid, parent, group, command = ''] = /(\d+) +(\d+) +(\d+) (.*)/.exec(line) ?? [];
    return pid ? [{ pid: Number(pid), parent, group, command }] : [];
  });
  const groups = new Map(processes.map(({ pid, group }) => [String(pid), group]));
  const own = groups.get(String(process.pid));
  return processes.filter(
    ({ parent = '', group, command }) =>
      group === own && groups.get(parent) !== own && /shorty-server\.js start/.test(command),
  );
}
