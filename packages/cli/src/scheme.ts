import { parseUrl } from '@shorty/import';
import { UsageError } from './cli-error.js';
import type { Context } from './context.js';
import { ask } from './prompt.js';

const hasScheme = /^[a-z][a-z\d+.-]*:\/\//i;
// Servers on the own machine or network rarely have a certificate.
const isLocal = /^(localhost|[\d.]+|\[[\da-f:]+\]|[^.]+\.local)$/i;

/** Returns a URL for a host without a scheme, such as `https://example.com/x`; undefined for other texts. */
export function proposeUrl(text: string): string | undefined {
  if (hasScheme.test(text)) return undefined;
  const host = parseUrl(`http://${text}`)?.hostname ?? '';
  if (isLocal.test(host)) return `http://${text}`;
  return /[^.]\.[^.]/.test(host) ? `https://${text}` : undefined;
}

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
