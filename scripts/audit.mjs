// Asks the registry whether what we ship has known vulnerabilities. There are three answers: none,
// these, and that it could not be asked, which is neither of the others.
import { spawnSync } from 'node:child_process';
import { pnpm, root } from './bootstrap.mjs';

/** Undefined when all is well, a text that says what was found, or why nothing is known. */
export function audit() {
  const { stdout, stderr, error } = spawnSync('npx', [...pnpm, 'audit', '--prod', '--json'], {
    cwd: root,
    encoding: 'utf8',
    timeout: 60_000,
  });
  return judge(stdout ?? '', error?.message ?? stderr);
}

/** What the output of `pnpm audit --json` means. */
export function judge(stdout, otherwise) {
  const report = parse(stdout);
  if (report?.advisories === undefined || report.metadata?.vulnerabilities === undefined) {
    const reason = report?.error?.message ?? (otherwise.trim() || stdout.trim() || 'no answer');
    return { unknown: reason.split('\n')[0] };
  }
  const found = Object.values(report.advisories).map(
    ({ severity, module_name: name, vulnerable_versions: versions, title, url }) =>
      `${severity}: ${name} ${versions}: ${title} (${url})`,
  );
  // A count without its advisories would be a finding that nobody could read, and still is one.
  const counted = Object.values(report.metadata.vulnerabilities).reduce((sum, n) => sum + n, 0);
  if (found.length === 0 && counted === 0) return undefined;
  return found.length > 0 ? found.join('\n') : `${counted} vulnerabilities, and none is named`;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    // What is no JSON is no report.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
