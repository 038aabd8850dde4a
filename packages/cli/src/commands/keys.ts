import { type ApiKey, type ApiKeyCreateRequest, NotFoundError } from '@shorty/sdk';
import { readFuture, timeZoneOption } from '../analytics/parse-time.js';
import { type CommandRow, defined } from '../command.js';
import { findDomainId } from '../find-domain.js';
import { columnsOf } from '../output.js';
import { deleteCommand } from './change-command.js';
import { listCommand } from './list-command.js';

interface NewKey {
  readonly name: string;
  readonly scopes?: string;
  readonly domain?: string;
  readonly ownLinks?: boolean;
  readonly expiresAt?: string;
  readonly timeZone?: string;
}

export const keyCommands: Readonly<Record<string, CommandRow>> = {
  create: {
    summary: 'Create an API key for a script or a server',
    examples: [
      'shorty keys create "deploy script" --scopes "urls:read urls:write"',
      'shorty keys create "CI" --expires-at 2031-01-01 --json',
      'shorty keys create "shop" --domain go.example.com --own-links',
    ],
    args: { '<name>': 'what the key is for' },
    options: {
      '--scopes <scopes>': 'scopes, separated by spaces (default: all of yours)',
      '--domain <domain>': 'restrict it to the links of this custom domain (hostname or id)',
      '--own-links': 'restrict it to the links that it creates',
      '--expires-at <time>':
        'when it ends: a time, a date (its end) or a duration, such as 90d (default: never)',
      ...timeZoneOption,
    },
    prints: ['POST /api/v1/api-keys'],
    run: async ({ client, io, output, request }, { name, scopes, domain, ...options }: NewKey) => {
      const shorty = await client();
      const expiresAt =
        options.expiresAt && readFuture(options.expiresAt, io.now(), options.timeZone, true);
      const domainId = domain && (await findDomainId(shorty, domain, request));
      const onlyOwnLinks = options.ownLinks;
      const body = {
        name,
        scopes: scopes && splitScopes(scopes),
        domainId,
        onlyOwnLinks,
        expiresAt,
      };
      const created = await shorty.apiKeys.create(defined(body) as ApiKeyCreateRequest, request);
      await output.record(created);
      output.note(
        'store the key now, it is shown only once; set it as SHORTY_API_KEY, or send it as "Authorization: Bearer ..."',
      );
    },
  },
  list: listCommand<ApiKey>('key', {
    summary: 'List API keys, newest first',
    examples: ['shorty keys list'],
    columns: columnsOf(
      ...(['id', 'name', 'start', 'scopes', 'domainId', 'onlyOwnLinks'] as const),
      ...(['lastUsedAt', 'expiresAt'] as const),
    ),
    read: ({ apiKeys }, query, request) => apiKeys.list(query, request),
  }),
  revoke: deleteCommand(
    { noun: 'key', verb: 'Revoke' },
    {
      summary: 'Revoke API keys',
      examples: ['shorty keys revoke 0192f0c1-2b7d-7c3e-9a51-3f1d2b6c8e47'],
      args: { '<id...>': 'ids of the keys' },
    },
    ({ apiKeys }, request) => ({
      // The API has no route that reads one key.
      find: async (id) => {
        for await (const key of apiKeys.list({}, request)) if (key.id === id) return key;
        const message = `There is no API key "${id}" in this organization`;
        throw new NotFoundError(message, { status: 404 });
      },
      change: (id) => apiKeys.delete(id, request),
    }),
  ),
};

/** Splits scopes at spaces. The server knows the scopes, and names a wrong one. */
export function splitScopes(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}
