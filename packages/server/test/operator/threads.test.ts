import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../../../scripts/bootstrap.mjs';
import { call, newSettings, serve, tokenOf } from './server-process.js';

beforeAll(build, 120_000);

interface Scheduling {
  readonly niceness: number;
  /** 0 for the usual class, 5 for the idle one: sched(7). */
  readonly policy: number;
}

/** How a thread is scheduled: proc(5), fields 19 and 41 of its `stat`. */
function schedulingOf(pid: number, threadId: string): Scheduling {
  const stat = readFileSync(`/proc/${pid}/task/${threadId}/stat`, 'utf8');
  // The second field is a name, which may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { niceness: Number(fields[16]), policy: Number(fields[38]) };
}

describe('the threads of a server', () => {
  it('that make reports and drawings are interrupted by the one that redirects', async () => {
    const server = await serve({
      ...newSettings(),
      SHORTY_CLIENT_ID: 'operator-test',
      SHORTY_CLIENT_SECRET: 'operator-test-secret-of-32-chars',
    });
    const token = await tokenOf(server.origin, {
      clientId: 'operator-test',
      clientSecret: 'operator-test-secret-of-32-chars',
    });
    const pid = server.child.pid as number;
    const idle = () =>
      readdirSync(`/proc/${pid}/task`)
        .map((threadId) => schedulingOf(pid, threadId))
        .filter(({ policy }) => policy === 5);
    expect(idle()).toEqual([]);
    await call(server.origin, token, '/analytics/overview');
    expect(idle()).toEqual([{ niceness: 19, policy: 5 }]);
    await call(server.origin, token, '/qr', { data: 'a text' });
    expect(idle().length).toBeGreaterThanOrEqual(2);
    // As whoever runs the tests has it.
    expect(schedulingOf(pid, String(pid))).toEqual({ niceness: getPriority(), policy: 0 });
  });
});
