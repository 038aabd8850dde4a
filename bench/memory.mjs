// The resident memory of a server: 25 seconds after its start, and after a million visits.
import { setTimeout as sleep } from 'node:timers/promises';
import { createLinks } from './lib/create-links.mjs';
import { serveShorty } from './lib/processes.mjs';
import { reportUpper } from './lib/ratio.mjs';
import { residentMemory } from './lib/resident-memory.mjs';
import { load, pathsScript, requireWrk } from './lib/wrk.mjs';

const links = 10_000;
const visits = 1_000_000;
const settleSeconds = 25;

export async function benchMemory() {
  requireWrk();
  const server = await serveShorty();
  await sleep(settleSeconds * 1000);
  const idle = residentMemory(server.pid).now;
  reportUpper(`memory of an idle server, ${settleSeconds} s after its start`, idle, 150, 'MB');

  await createLinks(server, links, (index) => `bench-${index}`);
  const paths = Array.from({ length: links }, (_, index) => `/bench-${index}`);
  const script = pathsScript(paths);
  let sent = 0;
  while (sent < visits) {
    const { requests } = await load(server.origin, script, { connections: 64, seconds: 5 });
    sent += requests;
  }
  const busy = residentMemory(server.pid).now;
  await sleep(settleSeconds * 1000);
  reportUpper(
    `memory after ${visits.toLocaleString('en')} visits`,
    residentMemory(server.pid).now,
    300,
    `MB, ${settleSeconds} s after the last of ${sent.toLocaleString('en')}; ${busy.toFixed(0)} MB at once`,
  );
  await server.stop();
}
