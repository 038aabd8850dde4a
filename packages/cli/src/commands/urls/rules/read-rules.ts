import type { UrlUpdateRequest } from '@shorty/sdk';
import { UsageError } from '../../../cli-error.js';
import type { Context } from '../../../context.js';
import { readInput } from '../../../read-input.js';

const limits = { subject: 'the rules', maxMegabytes: 1 };

/** Reads a JSON list of rules from a file, or from stdin for `-`. The server validates its items. */
export async function readRules(
  context: Context,
  path: string,
): Promise<NonNullable<UrlUpdateRequest['rules']>> {
  const text = (await readInput(context, path, limits)).toString('utf8');
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
