import { z } from 'zod';
import { shorten } from '../contract/api-error.js';
import { parseUrl } from '../network/parse-url.js';

/** Whether links may lead to a host. */
export type HostRule = 'block' | 'allow';

/** The rules of hosts. `everyHost` is the rule of the hosts that have no other. */
export type HostRules = ReadonlyMap<string, HostRule>;

/** Stands for all hosts. */
export const everyHost = '*';

const hostMessage = 'must be a host name or an IP address alone, such as evil.example';
const maxLength = 253;

/** A host in a request. Becomes its form in URLs: lower case, ASCII, no final dot. */
export const ruledHost = z
  .string()
  .max(1_000)
  .transform((text, context) => {
    const host = text === everyHost ? text : parseHost(text);
    if (host !== undefined) return host;
    context.addIssue({
      code: 'custom',
      message: `${JSON.stringify(shorten(text))} ${hostMessage}, or * for all hosts`,
    });
    return z.NEVER;
  })
  .meta({
    override: { type: 'string', minLength: 1, maxLength: 1_000 },
    description: 'A host name, with its subdomains, an IP address, or * for all hosts.',
    example: 'evil.example',
  });

/** Returns a host as URLs have it; undefined for any other text. */
export function parseHost(text: string): string | undefined {
  const isAlone = !/[/\\?#@*\s]/.test(text);
  const url = isAlone ? parseUrl(`http://${text}`) : undefined;
  // The parser removes the default port.
  if (url === undefined || /:\d*$/.test(text.replace(/^\[.*\]/, ''))) return undefined;
  const host = withoutFinalDot(url.hostname);
  return host === '' || host.length > maxLength ? undefined : host;
}

/**
 * Returns the blocked host that a target leads to: its own host, a domain above it, or all hosts. The
 * rule of the longest name decides, so an allowed subdomain of a blocked domain is not blocked.
 */
export function findBlockedHost(rules: HostRules, targetUrl: string): string | undefined {
  if (rules.size === 0) return undefined;
  let host = withoutFinalDot(parseUrl(targetUrl)?.hostname ?? '');
  for (;;) {
    const rule = rules.get(host);
    if (rule !== undefined) return rule === 'block' ? host : undefined;
    const dot = host.indexOf('.');
    if (dot < 0) break;
    host = host.slice(dot + 1);
  }
  return rules.get(everyHost) === 'block' ? everyHost : undefined;
}

/** Returns why a target with a blocked host is refused. */
export function blockedMessage(blockedHost: string): string {
  return blockedHost === everyHost
    ? 'must lead to a host that the operator of this server allows'
    : `must not lead to ${blockedHost}, which the operator of this server has blocked`;
}

function withoutFinalDot(host: string): string {
  return host.replace(/\.$/, '');
}
