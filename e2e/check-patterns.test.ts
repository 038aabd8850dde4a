import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Planted {
  readonly text: string;
  /** The patterns that are allowed, and why. */
  readonly allowed?: readonly (readonly [string, string])[];
}

/** Runs this step of `npm run check` on each source text, in a separate process. */
function check(texts: readonly Planted[]): string[] {
  const program = `
    import { analysePatterns, patternsIn } from './scripts/check-patterns.mjs';
    const results = [];
    for (const { text, allowed = [] } of JSON.parse(process.argv[1])) {
      const found = patternsIn(text, 'planted.ts');
      results.push((await analysePatterns(found, new Map(allowed))) ?? 'fine');
    }
    console.log(JSON.stringify(results));
  `;
  const args = ['--input-type=module', '--eval', program, JSON.stringify(texts)];
  return JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }));
}

const planted = [
  ['exponential', 'const a = 1;\nexport const b = /^(a|a)*$/;', /^planted\.ts:2: .*exponential/],
  ['polynomial', 'text.replace(/[\\s"]+$/, "");', /^planted\.ts:1: .*polynomial/],
  ['built', 'new RegExp("(a+)+$", "i");', /^planted\.ts:1: .*exponential/],
  ['a lookbehind over a run', '/(?<=\\bBearer(?: |%20|\\+)+)[\\w~+/.=-]{8,}/gi;', /polynomial/],
  ['computed', 'RegExp("^" + name);', /^planted\.ts:1: .*cannot be analysed/],
] as const;

describe('the check of regular expressions', () => {
  it('fails on planted patterns', () => {
    const findings = check(planted.map(([, text]) => ({ text })));
    for (const [at, [name, , finding]] of planted.entries()) {
      expect(findings[at], name).toMatch(finding);
    }
  });

  it('passes linear patterns and patterns with a reason, and fails on a needless exception', () => {
    const [passed, failed] = check([
      { text: '/^[a-z]+$/i; /[\\s"]+$/;', allowed: [['/[\\s"]+$/', 'reads a setting']] },
      { text: '/^[a-z]+$/i;', allowed: [['/b+$/', 'was needed once']] },
    ]);
    expect(passed).toBe('fine');
    expect(failed).toContain('matches no source');
  });
});
