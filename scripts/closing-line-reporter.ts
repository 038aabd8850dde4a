import { readdirSync, readFileSync } from 'node:fs';
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
    for (const { pid, environment } of abandonedServers()) {
      process.stdout.write(`\nA test left its server running (process ${pid}): ${environment}\n`);
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

interface AbandonedServer {
  readonly pid: number;
  /** The settings of Shorty in its environment. */
  readonly environment: string;
}

/**
 * Returns the servers of this process group whose parent has ended. A server that `npm start` or
 * another run of the tests has started still has its parent. Needs /proc, so Linux only.
 */
function abandonedServers(): AbandonedServer[] {
  const group = readStat(process.pid)?.group;
  return processIds().flatMap((pid) => {
    const stat = readStat(pid);
    const isAbandoned = stat?.group === group && readStat(stat?.parent)?.group !== group;
    if (!isAbandoned || !read(pid, 'cmdline').includes('shorty-server.js\0start')) return [];
    const settings = read(pid, 'environ').split('\0');
    const environment = settings.filter((text) => /^(SHORTY_|PORT)/.test(text)).join(' ');
    return [{ pid, environment }];
  });
}

function processIds(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Returns the parent and the process group of a process; undefined when it has ended. */
function readStat(pid = 0): { readonly parent: number; readonly group: number } | undefined {
  // The command, in parentheses, may contain spaces.
  const fields = read(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ');
  return fields.length < 3 ? undefined : { parent: Number(fields[1]), group: Number(fields[2]) };
}

/** Returns a file of a process; the empty text when the process has ended. */
function read(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}
