import { shorten } from '../contract/api-error.js';
import { parsedText } from '../contract/fields.js';
import { hostnameOf } from '../domains/hostname.js';
import { parseUrl } from '../network/parse-url.js';
import type { Database } from '../storage/database.js';
import { readLinkPolicyVersion } from '../storage/link-policy.js';

const maxLength = 253;
const maxTextLength = 1_000;

/** A host in a request. Becomes its form in URLs: lower case, ASCII, no final dot. */
export const hostInput = parsedText(
  parseHost,
  (text) =>
    `is ${JSON.stringify(shorten(text))}: it must be a host name or an IP address alone, such as host.example`,
).meta({
  override: { type: 'string', minLength: 1, maxLength: maxTextLength },
  description: 'A host name, with its subdomains, or an IP address.',
  example: 'evil.example',
});

/** Returns a host as URLs have it; undefined for any other text. */
export function parseHost(text: string): string | undefined {
  if (text.length > maxTextLength) return undefined;
  const hasPort = /:\d*$/.test(text.replace(/^\[.*\]/, ''));
  const isAlone = !hasPort && !/[/\\?#@*\s]/.test(text);
  const url = isAlone ? parseUrl(`http://${text}`) : undefined;
  const host = hostnameOf(url?.host ?? '');
  return host === '' || host.length > maxLength ? undefined : host;
}

/** Returns the blocked host that a target leads to: its own host, or a domain above it. */
export function findBlockedHost(
  blocked: ReadonlySet<string>,
  targetUrl: string,
): string | undefined {
  if (blocked.size === 0) return undefined;
  let host = hostnameOf(parseUrl(targetUrl)?.host ?? '');
  while (!blocked.has(host)) {
    const dot = host.indexOf('.');
    if (dot < 0) return undefined;
    host = host.slice(dot + 1);
  }
  return host;
}

export function blockedMessage(blockedHost: string): string {
  return `must not lead to ${blockedHost}, which the operator of this server has blocked`;
}

export type LinkPolicy = ReturnType<typeof createLinkPolicy>;

/** The hosts that the operator blocks, and changes that affect any number of links. */
export function createLinkPolicy({ read }: Pick<Database, 'read'>, onChanged: () => void) {
  let version: number | undefined;
  let blocked: ReadonlySet<string> = new Set();
  return {
    /** Reads the policy again, and calls back, if it has changed, also by another process. */
    async refresh(): Promise<void> {
      const current = await readLinkPolicyVersion(read);
      if (current === version) return;
      // Read after the version, so these hosts are at least as new.
      const hosts = await read.selectFrom('blocked_hosts').select('id').execute();
      blocked = new Set(hosts.map(({ id }) => id));
      version = current;
      onChanged();
    },

    /** Returns the blocked host that a target leads to. */
    findBlockedHost: (targetUrl: string) => findBlockedHost(blocked, targetUrl),
  };
}
