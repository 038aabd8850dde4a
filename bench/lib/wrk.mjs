import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { killAtExit, scratchFolder } from './processes.mjs';
import { headersOf } from './visitors.mjs';

const printResult = `done = function(summary, latency)
  io.write(string.format('RESULT %d %d %d %d %d\\n', summary.requests, summary.duration,
    latency:percentile(99), summary.errors.status, summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
`;

/**
 * Parses the line that the script prints at its end. Throws if a request failed. wrk counts statuses
 * above 399 as errors.
 */
function readResult(stdout) {
  const [, requests, micros, p99, errorStatuses, socketErrors] = stdout
    .match(/RESULT (\d+) (\d+) (\d+) (\d+) (\d+)/)
    .map(Number);
  if (errorStatuses + socketErrors > 0) {
    throw new Error(`wrk got ${errorStatuses} error statuses and ${socketErrors} socket errors`);
  }
  return { requests, perSecond: requests / (micros / 1e6), p99Ms: p99 / 1000 };
}

/** Writes a wrk script that requests the paths in a seeded random order with visitors' headers. */
export function pathsScript(paths) {
  const folder = scratchFolder();
  const requests = join(folder, 'requests.txt');
  const lines = paths.map((path, visitor) =>
    [path, ...Object.entries(headersOf(visitor)).flat()].join('\t'),
  );
  writeFileSync(requests, lines.join('\n'));
  const script = join(folder, 'requests.lua');
  writeFileSync(
    script,
    `local requests = {}
for line in io.lines(${JSON.stringify(requests)}) do
  local cells = {}
  for cell in string.gmatch(line, '[^\t]+') do cells[#cells + 1] = cell end
  local headers = { Host = 'localhost:3000' }
  for at = 2, #cells, 2 do headers[cells[at]] = cells[at + 1] end
  requests[#requests + 1] = wrk.format('GET', cells[1], headers)
end
math.randomseed(42)
request = function() return requests[math.random(#requests)] end
${printResult}`,
  );
  return script;
}

/** Writes a wrk script that repeats a few requests in order. */
export function repeatScript(requests, headers) {
  const script = join(scratchFolder(), 'repeat.lua');
  const lua = (text) => (text === undefined ? 'nil' : `[==[${text}]==]`);
  const fields = Object.entries(headers).map(([name, value]) => `[ ${lua(name)} ] = ${lua(value)}`);
  const lines = requests.map(
    ({ method, path, body }) => `{ ${[method, path, body].map(lua).join(', ')} },`,
  );
  writeFileSync(
    script,
    `local requests = {
${lines.join('\n')}
}
local headers = { ${fields.join(', ')} }
local turn = 0
request = function()
  turn = turn % #requests + 1
  return wrk.format(requests[turn][1], requests[turn][2], headers, requests[turn][3])
end
${printResult}`,
  );
  return script;
}

/** Runs a script, and returns the requests a second and the 99th percentile in milliseconds. */
export async function load(origin, script, { connections, seconds }) {
  const { stdout } = await promisify(execFile)('wrk', [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    // Before its code is compiled, a server may take seconds to respond to all connections.
    '--timeout',
    '10s',
    '-s',
    script,
    origin,
  ]);
  return readResult(stdout);
}

/** Starts one client that repeats a script. `stop` ends it and returns the number of requests. */
export function repeat(origin, script) {
  const child = spawn('wrk', ['-t1', '-c1', '-d600s', '--timeout', '10s', '-s', script, origin]);
  killAtExit(child);
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  return {
    async stop() {
      child.kill('SIGINT');
      await once(child, 'close');
      return readResult(stdout).requests;
    },
  };
}
