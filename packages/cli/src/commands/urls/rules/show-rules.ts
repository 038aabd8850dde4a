import type { UrlRecord } from '@shorty/sdk';
import type { Context } from '../../../context.js';

type Rule = UrlRecord['rules'][number];

/** Prints the rules of a link in their order. */
export async function showRules({ output }: Context, rules: readonly Rule[]): Promise<void> {
  if (output.format === 'json') {
    // The form that `rules set` reads.
    await output.json(rules);
    return;
  }
  const rows = rules.map((rule, index) => ({
    rule: rule.name ?? String(index + 1),
    when: Object.keys(rule.when).length === 0 ? 'all visits' : JSON.stringify(rule.when),
    targets: targetsOf(rule).join(', '),
  }));
  await output.list(onePage(rows), [
    { name: 'rule', value: (row) => row.rule },
    { name: 'when', value: (row) => row.when },
    { name: 'targets', value: (row) => row.targets },
  ]);
}

function targetsOf({ targetUrl, variants = [] }: Rule): string[] {
  if (targetUrl !== undefined) return [targetUrl];
  return variants.map((variant) => `${variant.weight}: ${variant.targetUrl}`);
}

async function* onePage<Row>(rows: readonly Row[]) {
  yield rows;
}
