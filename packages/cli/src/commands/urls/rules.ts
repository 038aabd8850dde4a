import type { RuleTest, UrlRecord, UrlUpdateRequest } from '@shorty/sdk';
import { UsageError } from '../../cli-error.js';
import type { CommandRow } from '../../command.js';
import type { Context } from '../../context.js';
import { fieldOptions } from '../../field-options.js';
import { columnsOf } from '../../format-rows.js';
import { resolveFormat } from '../../output.js';
import { readJson } from '../../read-input.js';
import { requestCommand } from '../request-command.js';

/** Reads a JSON list of rules from a file, or from stdin for `-`. The server validates its items. */
export async function readRules(
  context: Context,
  path: string,
): Promise<NonNullable<UrlUpdateRequest['rules']>> {
  const rules = await readJson(context, path);
  if (Array.isArray(rules)) return rules;
  throw new UsageError(`${path === '-' ? 'stdin' : path}: must be a JSON list of rules`);
}

export const ruleCommands: Readonly<Record<string, CommandRow>> = {
  'rules set': requestCommand<UrlRecord>('updateUrl', {
    summary: 'Set the rules of a link from a JSON file',
    examples: ['shorty urls rules set spring-sale rules.json'],
    args: { '<file>': 'file with a JSON list of rules, or - for stdin; [] removes all rules' },
    ownsOutput: true,
    fields: async ({ file }: { file: string }, context) => {
      resolveFormat(context.flags, ['json']);
      return { rules: await readRules(context, file) };
    },
    print: ({ output }, { rules }) => output.json(rules),
  }),
  'rules show': requestCommand<UrlRecord>('getUrl', {
    summary: 'Show the rules of a link, as rules set reads them',
    examples: ['shorty urls rules show spring-sale > rules.json'],
    ownsOutput: true,
    fields: (_, { flags }) => {
      resolveFormat(flags, ['json']);
      return {};
    },
    print: ({ output }, { rules }) => output.json(rules),
  }),
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
