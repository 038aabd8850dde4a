import { type ApiKey, type ApiKeyCreateRequest, NotFoundError } from '@shorty/sdk';
import { readFuture, timeZoneOption } from '../analytics/parse-time.js';
import { type CommandRow, defined } from '../command.js';
import { columnsOf } from '../output.js';
import { deleteCommand } from './change-command.js';
import { listCommand } from './list-command.js';

interface NewKey {
  readonly name: string;
  readonly scopes?: string;
  readonly expiresAt?: string;
  readonly timeZone?: string;
}

export const keyCommands: Readonly<Record<string, CommandRow>> = {
  create: {
    summary: 'Create an API key for a script or a server',
    examples: [
      'shorty keys create "deploy script" --scopes "urls:read urls:write"',
      'shorty keys create "CI" --expires-at 2031-01-01 --json',
    ],
    args: { '<name>': 'what the key is for' },
    options: {
      '--scopes <scopes>': 'scopes, separated by spaces (default: all of yours)',
      '--expires-at <time>':
        'when it ends: a time, a date (its end) or a duration, such as 90d (default: never)',
      ...timeZoneOption,
    },
    prints: ['POST /api/v1/api-keys'],
    run: async ({ client, io, output, request }, { name, scopes, ...expiry }: NewKey) => {
      const { apiKeys } = await client();
      const expiresAt =
        expiry.expiresAt && readFuture(expiry.expiresAt, io.now(), expiry.timeZone, true);
      const body = { name, scopes: scopes && splitScopes(scopes), expiresAt };
      await output.record(await apiKeys.create(defined(body) as ApiKeyCreateRequest, request));
      output.note(
        'store the key now, it is shown only once; set it as SHORTY_API_KEY, or send it as "Authorization: Bearer ..."',
      );
    },
  },
  list: listCommand<ApiKey>('key', {
    summary: 'List API keys, newest first',
    examples: ['shorty keys list'],
    columns: columnsOf('id', 'name', 'start', 'scopes', 'lastUsedAt', 'expiresAt'),
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
