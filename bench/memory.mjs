// The resident memory of a server: 25 seconds after its start, and after a million visits.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createVisitedLinks } from './lib/links.mjs';
import { serveShorty } from './lib/processes.mjs';
import { reportUpper } from './lib/ratio.mjs';
import { load, pathsScript } from './lib/wrk.mjs';

const settleSeconds = 25;

export async function benchMemory({ visits = 1_000_000 } = {}) {
  const server = await serveShorty();
  await sleep(settleSeconds * 1000);
  const idle = residentMemory(server.pid);
  reportUpper(`memory of an idle server, ${settleSeconds} s after its start`, idle, 150, 'MB');

  const script = pathsScript(await createVisitedLinks(server, 10_000));
  let sent = 0;
  while (sent < visits) {
    const { requests } = await load(server.origin, script, { connections: 64, seconds: 5 });
    sent += requests;
  }
  const busy = residentMemory(server.pid);
  await sleep(settleSeconds * 1000);
  reportUpper(
    `memory after ${visits.toLocaleString('en')} visits`,
    residentMemory(server.pid),
    300,
    `MB, ${settleSeconds} s after the last of ${sent.toLocaleString('en')}; ${busy.toFixed(0)} MB at once`,
  );
  await server.stop();
}

/** Returns the resident memory of a process in megabytes. Needs /proc. */
function residentMemory(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(status.match(/VmRSS:\s+(\d+) kB/)[1]) / 1024;
}
