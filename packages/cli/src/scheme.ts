import { proposeUrl } from '@shorty/import';
import { UsageError } from './cli-error.js';
import type { Context } from './context.js';
import { ask } from './prompt.js';

/** Returns the URL. Offers a scheme if it has none: asks on a terminal, and throws otherwise. */
export async function offerScheme(text: string, name: string, context: Context): Promise<string> {
  const proposal = proposeUrl(text);
  if (proposal === undefined) return text;
  if (context.isInteractive) {
    const answer = await ask(`${text} has no scheme. Use ${proposal}? [Y/n] `, context.io);
    if (/^(y|yes|)$/i.test(answer)) return proposal;
  }
  throw new UsageError(
    `${name} ${JSON.stringify(text)} must start with http:// or https://`,
    `use ${proposal}`,
  );
}
