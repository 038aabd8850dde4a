import type { UrlUpdateRequest } from '@shorty/sdk';
import { UsageError } from '../../../cli-error.js';
import type { DefineCommand } from '../../../command.js';
import type { Context } from '../../../context.js';
import { type ExitCode, exitCodes } from '../../../exit-codes.js';
import { findLinkId } from '../../../find-link.js';
import { readInput } from '../../../read-input.js';
import { showRules } from './show-rules.js';

const limits = { subject: 'the rules', maxMegabytes: 1 };

export const define: DefineCommand = (command, start) => {
  command
    .argument('<link>', 'id, short URL, slug or code of the link')
    .argument('<file>', 'file with a JSON list of rules, or - for stdin; [] removes all rules')
    .action((link: string, path: string) => start((context) => setRules(context, link, path)));
};

async function setRules(context: Context, link: string, path: string): Promise<ExitCode> {
  const rules = parseRules(path, (await readInput(context, path, limits)).toString('utf8'));
  const client = await context.client();
  const request = { signal: context.io.interrupt };
  const id = await findLinkId(client, link, request);
  const updated = await client.urls.update(id, { rules }, request);
  await showRules(context, updated.rules);
  return exitCodes.done;
}

/** Returns a list. The server validates its items. */
function parseRules(path: string, text: string): NonNullable<UrlUpdateRequest['rules']> {
  let rules: unknown;
  try {
    rules = JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${nameOf(path)} is no JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(rules)) throw new UsageError(`${nameOf(path)}: must be a JSON list of rules`);
  return rules;
}

function nameOf(path: string): string {
  return path === '-' ? 'stdin' : path;
}
