// Fails on timed waits and on polling loops without a deadline in tests and their helpers.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bootstrap.mjs';

const rules = [
  [/\bsetTimeout\s*\(/, 'sets a timer'],
  [/\bsetTimeout\b.*'(?:node:)?timers\/promises'/, 'imports a timer'],
  [/\bawait (?:sleep|delay|wait)\(/, 'sleeps'],
  [/\bwhile \(!?\(await\b/, 'polls without a deadline'],
  [/^\s*while \((?!.*\) await).*\);$/, 'polls without a deadline'],
];

/** Files that are not checked, with the reason. */
const exceptions = new Map([
  ['e2e/check-waits.test.ts', 'has examples of timed waits'],
  ['e2e/lib/stop-trial.mjs', 'polls with a deadline, and paces simulated clients'],
  ['packages/server/test/poll.ts', 'polls with a deadline, and paces simulated clients'],
  ['packages/server/test/operator/faulty-server.mjs', 'throws in a timer'],
  ['packages/server/test/postgres/server-pool.test.ts', 'simulates a slow server'],
  ['packages/server/test/webhooks/fan-out.test.ts', 'runs a bounded batch until none is left'],
  ['packages/server/test/hardening/request-bodies.test.ts', 'fills a socket synchronously'],
  ['packages/server/test/health/metrics.test.ts', 'blocks the event loop'],
  ['packages/server/test/network/local-server.ts', 'fills a socket synchronously'],
]);

const hint = 'await an event, or use expect.poll with a message (poll() in helpers)';

/** Returns the findings in the tests below these folders, or undefined when there is none. */
export function checkWaits() {
  const paths = ['packages', 'e2e', 'examples'].flatMap(testFilesBelow);
  const used = new Set();
  const findings = paths.flatMap((path) => {
    const found = findWaits(readFileSync(join(root, path), 'utf8'), path);
    if (found.length === 0 || !exceptions.has(path)) return found;
    used.add(path);
    return [];
  });
  for (const path of exceptions.keys()) {
    if (!used.has(path)) findings.push(`${path}: remove the exception from check-waits.mjs`);
  }
  return findings.length > 0 ? findings.join('\n') : undefined;
}

/** Returns a message for each timed wait in a source text. */
export function findWaits(text, path) {
  return text.split('\n').flatMap((line, index) => {
    const rule = rules.find(([pattern]) => pattern.test(line));
    return rule ? [`${path}:${index + 1}: ${rule[1]}: ${hint}`] : [];
  });
}

function testFilesBelow(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      return /^(node_modules|dist)$/.test(entry.name) ? [] : testFilesBelow(path);
    }
    const isTest = /\.test\.tsx?$|^e2e\/|\/test\//.test(path) && /\.(tsx?|mjs)$/.test(path);
    return isTest ? [path] : [];
  });
}
