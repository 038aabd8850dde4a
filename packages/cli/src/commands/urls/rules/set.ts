import { readFile } from 'node:fs/promises';
import type { UrlUpdateRequest } from '@shorty/sdk';
import { UsageError } from '../../../cli-error.js';
import type { DefineCommand } from '../../../command.js';
import type { Context } from '../../../context.js';
import { type ExitCode, exitCodes } from '../../../exit-codes.js';
import { findLinkId } from '../../../find-link.js';
import { showRules } from './show-rules.js';

const maxBytes = 1024 * 1024;

export const define: DefineCommand = (command, start) => {
  command
    .argument('<link>', 'id, short URL, slug or code of the link')
    .argument('<file>', 'file with a JSON list of rules, or - for stdin; [] removes all rules')
    .action((link: string, path: string) => start((context) => setRules(context, link, path)));
};

async function setRules(context: Context, link: string, path: string): Promise<ExitCode> {
  const rules = parseRules(path, await readText(context, path));
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

async function readText({ io }: Context, path: string): Promise<string> {
  if (path !== '-') {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
    }
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of io.stdin) {
    const bytes = Buffer.from(chunk as Uint8Array | string);
    length += bytes.length;
    if (length > maxBytes) throw new UsageError('the rules on stdin must be at most 1 MB');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
