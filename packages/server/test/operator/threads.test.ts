import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { build, root } from '../../../../scripts/bootstrap.mjs';
import { call, newSettings, serve, tokenOf } from './server-process.js';

beforeAll(build, 120_000);

interface Scheduling {
  readonly niceness: number;
  /** The scheduling class of sched(7): 0 is normal, 5 is idle. */
  readonly policy: number;
}

/** Reads the scheduling of a thread from fields 19 and 41 of its `stat` (proc(5)). */
function schedulingOf(pid: number, threadId: string): Scheduling {
  const stat = readFileSync(`/proc/${pid}/task/${threadId}/stat`, 'utf8');
  // The second field is a name, which may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { niceness: Number(fields[16]), policy: Number(fields[38]) };
}

describe('a server', () => {
  it('stores visits, and runs reports and images, in threads with a lower priority than redirects', async () => {
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
    const lowered = () =>
      readdirSync(`/proc/${pid}/task`)
        .map((threadId) => schedulingOf(pid, threadId))
        .filter(({ niceness }) => niceness > getPriority());
    const low = { niceness: 10, policy: 0 };
    // The thread of visits may still start.
    await expect.poll(lowered, { timeout: 10_000 }).toEqual([low]);
    await call(server.origin, token, '/analytics/overview');
    expect(lowered()).toEqual([low, low]);
    await call(server.origin, token, '/qr', { data: 'a text' });
    expect(lowered().length).toBeGreaterThanOrEqual(3);
    // The priority of the test process.
    expect(schedulingOf(pid, String(pid))).toEqual({ niceness: getPriority(), policy: 0 });
  });

  it('serves the openapi.yaml of the build', async () => {
    const server = await serve(newSettings());
    const openApi = await fetch(`${server.origin}/openapi.yaml`);
    expect(await openApi.text()).toBe(readFileSync(join(root, 'openapi.yaml'), 'utf8'));
  });
});
