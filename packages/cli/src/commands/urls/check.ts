import {
  type Shorty,
  type TargetCheck,
  type TargetCheckResult,
  ValidationError,
} from '@shorty/sdk';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { findLinkIds } from '../../find-link.js';
import { formatCount } from '../../format.js';
import { groupIntoPages } from '../../group-into-pages.js';
import type { Column } from '../../output.js';
import { addUrlFilter, readUrlFilter, type UrlFilterOptions } from './url-filter.js';

interface CheckOptions extends UrlFilterOptions {
  readonly problems?: boolean;
}

// The most links of one request.
const linksAtOnce = 20;
// A rate limit lasts up to a minute.
const maxRetryDelayMs = 65_000;

const columns: readonly Column<TargetCheck>[] = [
  { name: 'id', value: (item) => item.id, isWhole: true },
  { name: 'state', value: (item) => item.state, isWhole: true },
  { name: 'status', value: (item) => item.status ?? '' },
  { name: 'targetUrl', value: (item) => item.targetUrl },
  { name: 'error', value: (item) => item.error ?? '' },
  { name: 'redirectsTo', value: (item) => item.redirectsTo ?? '' },
  { name: 'durationMs', value: (item) => item.durationMs },
  { name: 'path', value: (item) => item.path },
];

export const define: DefineCommand = (command, start) => {
  command.argument('[link...]', 'ids, short URLs, slugs or short codes; default: all links');
  addUrlFilter(command)
    .option('--problems', 'print dead and uncertain targets only')
    .addHelpText('after', help)
    .action((links: string[], options: CheckOptions) =>
      start((context) => checkTargets(context, links, options)),
    );
};

const help = `
The server requests each target. Exits with 1 if one is dead. A target is
uncertain if it refused the server or was busy: people may reach it.`;

async function checkTargets(
  context: Context,
  links: readonly string[],
  { problems, ...filter }: CheckOptions,
): Promise<ExitCode> {
  const { io, output } = context;
  const client = await context.client({ maxRetryDelayMs });
  const request = { signal: io.interrupt };
  const query = readUrlFilter(filter, io.now());
  const ids =
    links.length > 0 ? await findLinkIds(client, links, request) : idsOf(client, query, request);
  const counts = { alive: 0, dead: 0, uncertain: 0 };
  const skipped: string[] = [];
  const pages = async function* () {
    for await (const page of groupIntoPages(ids, linksAtOnce)) {
      for (const { items, skippedIds } of await checkPage(client, page, request)) {
        skipped.push(...skippedIds);
        for (const { state } of items) counts[state] += 1;
        yield problems ? items.filter(({ state }) => state !== 'alive') : items;
      }
    }
  };
  await output.list(pages(), columns);
  if (skipped.length > 0) {
    output.warn(`shorty: no such link in this organization: ${skipped.join(', ')}`);
  }
  const { alive, dead, uncertain } = counts;
  output.note(
    `${formatCount(alive + dead + uncertain, 'target')}: ${dead} dead, ${uncertain} uncertain`,
  );
  return dead > 0 || skipped.length > 0 ? exitCodes.failed : exitCodes.done;
}

interface Request {
  readonly signal: AbortSignal;
}

async function* idsOf(
  client: Shorty,
  query: ReturnType<typeof readUrlFilter>,
  request: Request,
): AsyncGenerator<string> {
  for await (const { id } of client.urls.list(query, request)) yield id;
}

/** Checks links in one request, or in several if they have too many targets. */
async function checkPage(
  client: Shorty,
  ids: readonly string[],
  request: Request,
): Promise<readonly TargetCheckResult[]> {
  try {
    return [await client.urls.check(ids, request)];
  } catch (error) {
    if (!(error instanceof ValidationError) || ids.length === 1) throw error;
    const middle = Math.ceil(ids.length / 2);
    return [
      ...(await checkPage(client, ids.slice(0, middle), request)),
      ...(await checkPage(client, ids.slice(middle), request)),
    ];
  }
}
