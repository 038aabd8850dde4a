import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { root } from './lib/processes.js';

const script = `
  import { parseReport } from './scripts/audit.mjs';
  console.log(JSON.stringify(parseReport(process.argv[1], process.argv[2]) ?? null));
`;
const parseReport = (stdout: string, errorText = ''): unknown => {
  const args = ['--input-type=module', '--eval', script, stdout, errorText];
  const { stdout: output, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return JSON.parse(output);
};
const counts = { info: 0, low: 0, moderate: 0, high: 0, critical: 0 };
const advisory = {
  severity: 'high',
  module_name: 'left-pad',
  vulnerable_versions: '<2',
  title: 'It pads the wrong side',
  url: 'https://example.com/1',
};

test('an audit without findings passes, and an audit with findings lists them', () => {
  expect(
    parseReport(JSON.stringify({ advisories: {}, metadata: { vulnerabilities: counts } })),
  ).toBe(null);
  const found = { advisories: { 1: advisory }, metadata: { vulnerabilities: counts } };
  expect(parseReport(JSON.stringify(found))).toBe(
    'high: left-pad <2: It pads the wrong side (https://example.com/1)',
  );
});

test('an audit that only counts findings fails', () => {
  const counted = { advisories: {}, metadata: { vulnerabilities: { ...counts, low: 1 } } };
  expect(parseReport(JSON.stringify(counted))).toBe('1 vulnerabilities without a name');
});

test.each([
  ['', 'ENOTFOUND'],
  ['{"error":{"code":"ERR_PNPM_AUDIT_BAD_RESPONSE","message":"404"}}', ''],
  ['<html>', ''],
  ['{}', ''],
  ['{"advisories":{}}', ''],
  ['null', ''],
])('the output %j gives an unknown result', (stdout, errorText) => {
  expect(parseReport(stdout, errorText)).toEqual({ unknown: expect.any(String) });
});
