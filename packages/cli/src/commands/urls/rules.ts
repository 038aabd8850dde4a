import type { RuleTest, UrlRecord } from '@shorty/sdk';
import type { CommandRow, Details } from '../../command.js';
import { columnsOf } from '../../format-rows.js';
import { requestCommand } from '../request-command.js';

/** A file of rules. The server validates them. */
export const rulesFile: Details = {
  text: 'file with a JSON list of rules, or - for stdin; [] removes all rules',
  json: { listOf: 'rules' },
  field: 'rules',
};

export const ruleCommands: Readonly<Record<string, CommandRow>> = {
  'rules set': requestCommand<UrlRecord>('updateUrl', {
    summary: 'Set the rules of a link from a JSON file',
    examples: ['shorty urls rules set spring-sale rules.json'],
    args: { '<file>': rulesFile },
    options: {},
    formats: ['json'],
    print: ({ output }, { rules }) => output.json(rules),
  }),
  'rules show': requestCommand<UrlRecord>('getUrl', {
    summary: 'Show the rules of a link, as rules set reads them',
    examples: ['shorty urls rules show spring-sale > rules.json'],
    formats: ['json'],
    print: ({ output }, { rules }) => output.json(rules),
  }),
  'rules test': requestCommand<RuleTest>('testUrlRules', {
    examples: ['shorty urls rules test 42 --os iOS --device mobile --query ref=mail'],
    print: async ({ output }, result) => {
      if (output.format === 'json') return output.record(result);
      for (const { rule, condition } of result.skipped) {
        output.note(`rule ${rule} does not match: ${condition}`);
      }
      return output.list([result.outcomes], columnsOf('variant', 'share', 'location'));
    },
  }),
};
