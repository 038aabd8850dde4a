// Checks the production dependencies for known vulnerabilities. There are three results: none, a list,
// or unknown because the registry did not respond.
import { spawnSync } from 'node:child_process';
import { pnpm, root } from './bootstrap.mjs';

/** Returns undefined without findings, the findings as text, or `{ unknown: reason }`. */
export function audit() {
  const { stdout, stderr, error } = spawnSync('npx', [...pnpm, 'audit', '--prod', '--json'], {
    cwd: root,
    encoding: 'utf8',
    timeout: 60_000,
  });
  return parseReport(stdout ?? '', error?.message ?? stderr);
}

/** Parses the output of `pnpm audit --json`. `errorText` explains an output that is no report. */
export function parseReport(stdout, errorText) {
  const report = parse(stdout);
  if (report?.advisories === undefined || report.metadata?.vulnerabilities === undefined) {
    const reason = report?.error?.message ?? (errorText.trim() || stdout.trim() || 'no response');
    return { unknown: reason.split('\n')[0] };
  }
  const found = Object.values(report.advisories).map(
    ({ severity, module_name: name, vulnerable_versions: versions, title, url }) =>
      `${severity}: ${name} ${versions}: ${title} (${url})`,
  );
  // A count without advisories is a finding, too.
  const counted = Object.values(report.metadata.vulnerabilities).reduce((sum, n) => sum + n, 0);
  if (found.length === 0 && counted === 0) return undefined;
  return found.length > 0 ? found.join('\n') : `${counted} vulnerabilities without a name`;
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The registry may respond with an HTML page.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
