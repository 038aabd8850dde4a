import type { RuleTest, UrlRecord, UrlUpdateRequest } from '@shorty/sdk';
import { UsageError } from '../../cli-error.js';
import type { CommandRow } from '../../command.js';
import type { Context } from '../../context.js';
import { fieldOptions } from '../../field-options.js';
import { columnsOf } from '../../output.js';
import { readJson } from '../../read-input.js';
import { type Named, naming } from '../../records.js';
import { requestCommand } from '../request-command.js';

type Rule = UrlRecord['rules'][number];

/** Reads a JSON list of rules from a file, or from stdin for `-`. The server validates its items. */
export async function readRules(
  context: Context,
  path: string,
): Promise<NonNullable<UrlUpdateRequest['rules']>> {
  const rules = await readJson(context, path);
  if (Array.isArray(rules)) return rules;
  throw new UsageError(`${path === '-' ? 'stdin' : path}: must be a JSON list of rules`);
}

/** Prints the rules of a link in their order. */
async function showRules({ output }: Context, rules: readonly Rule[]): Promise<void> {
  // The form that `rules set` reads.
  if (output.format === 'json') return output.json(rules);
  const rows = rules.map((rule, index) => ({
    rule: rule.name ?? String(index + 1),
    when: Object.keys(rule.when).length === 0 ? 'all visits' : JSON.stringify(rule.when),
    targets: rule.targetUrl ?? (rule.variants ?? []).map(describeVariant).join(', '),
  }));
  await output.list([rows], columnsOf('rule', 'when', 'targets'));
}

const describeVariant = (variant: { weight: number; targetUrl: string }) =>
  `${variant.weight}: ${variant.targetUrl}`;

const link = { '<link>': naming('link') };

export const ruleCommands: Readonly<Record<string, CommandRow>> = {
  'rules set': {
    summary: 'Set the rules of a link from a JSON file',
    examples: ['shorty urls rules set spring-sale rules.json'],
    args: {
      ...link,
      '<file>': 'file with a JSON list of rules, or - for stdin; [] removes all rules',
    },
    prints: ['rule', 'when', 'targets'],
    run: async (context, { link, file }: { link: Named; file: string }) => {
      const rules = await readRules(context, file);
      const { urls } = await context.client();
      const updated = await urls.update(await link.id(), { rules }, context.request);
      return showRules(context, updated.rules);
    },
  },
  'rules show': {
    summary: 'Show the rules of a link',
    examples: ['shorty urls rules show spring-sale', 'shorty urls rules show 42 --json'],
    args: link,
    run: async (context, { link }: { link: Named<UrlRecord> }) =>
      showRules(context, (await link.read()).rules),
  },
  'rules test': requestCommand<RuleTest>('testUrlRules', {
    examples: ['shorty urls rules test 42 --os iOS --device mobile --query ref=mail'],
    options: fieldOptions('testUrlRules'),
    print: async ({ output }, result) => {
      if (output.format === 'json') return output.record(result);
      for (const { rule, condition } of result.skipped) {
        output.note(`rule ${rule} does not match: ${condition}`);
      }
      return output.list([result.outcomes], columnsOf('variant', 'share', 'location'));
    },
  }),
};
