import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs this step of `npm run check` on a source text, in a separate process. */
function check(text: string, allowed: readonly (readonly [string, string])[] = []): string {
  const program = `
    import { judgePatterns, patternsIn } from './scripts/check-patterns.mjs';
    const { text, allowed } = JSON.parse(process.argv[1]);
    console.log((await judgePatterns(patternsIn(text, 'planted.ts'), new Map(allowed))) ?? 'fine');
  `;
  return execFileSync(
    process.execPath,
    ['--input-type=module', '--eval', program, JSON.stringify({ text, allowed })],
    { cwd: root, encoding: 'utf8' },
  ).trim();
}

describe('the check of regular expressions', () => {
  it.each([
    ['exponential', 'const a = 1;\nexport const b = /^(a|a)*$/;', /^planted\.ts:2: .*exponential/],
    ['polynomial', 'text.replace(/[\\s"]+$/, "");', /^planted\.ts:1: .*polynomial/],
    ['built', 'new RegExp("(a+)+$", "i");', /^planted\.ts:1: .*exponential/],
    ['a lookbehind over a run', '/(?<=\\bBearer(?: |%20|\\+)+)[\\w~+/.=-]{8,}/gi;', /polynomial/],
    ['computed', 'RegExp("^" + name);', /^planted\.ts:1: .*cannot be analysed/],
  ])('fails on a planted pattern: %s', (_, text, fault) => {
    expect(check(text)).toMatch(fault);
  });

  it('passes linear patterns and patterns with a reason', () => {
    expect(check('/^[a-z]+$/i; /[\\s"]+$/;', [['/[\\s"]+$/', 'reads a setting']])).toBe('fine');
  });

  it('fails on an exception that no source needs', () => {
    expect(check('/^[a-z]+$/i;', [['/b+$/', 'was needed once']])).toContain('matches no source');
  });
});
