import { cutText, fitText, formatJson } from '@shorty/report';
import type { Shorty, WebhookEvent } from '@shorty/sdk';
import { UsageError } from '../cli-error.js';
import type { CommandRow } from '../command.js';
import type { Context } from '../context.js';
import type { Named } from '../records.js';
import { EventFeed, liveFormats } from '../webhooks/event-feed.js';
import { linkFilter } from './window-options.js';

export const tail: CommandRow = {
  summary: 'Print visits as they happen',
  examples: ['shorty analytics tail --link spring-sale --output ndjson > visits.ndjson'],
  options: linkFilter,
  help: `Prints each visit of a person about two seconds later: the time (UTC), whether
it was a click or a scan, the country, the device, the short URL and the
referrer. scan? is an inferred scan: a tap on the link looks the same.

Reads the events url.clicked, which the server writes while a webhook names
them, unless 20,000 of them wait for its receiver. Needs the scope
webhooks:read.`,
  formats: liveFormats,
  run: async (context, { link }: { readonly link?: readonly Named[] }) => {
    const { output, request } = context;
    const client = await context.client();
    await requireClicks(client, request);
    const ids = link && (await Promise.all(link.map((each) => each.id())));
    const { nextAfter } = await client.events.list({ after: 'latest' }, request);
    output.note('waiting for visits; Ctrl-C stops');
    const known = new Set<string>();
    const feed = await EventFeed.open(context, 'visit', 'scan');
    for await (const { items } of feed.pages(client, nextAfter, 'url.clicked')) {
      for (const event of items) {
        if (event.type !== 'url.clicked') continue;
        const shown = event.data.visits.filter(({ urlId }) => ids?.includes(urlId) ?? true);
        const fresh = shown.filter((visit) => !known.has(formatJson(visit)));
        for (const visit of fresh) known.add(formatJson(visit));
        for (const each of known) {
          if (known.size <= maxKnown) break;
          known.delete(each);
        }
        for (const visit of fresh) {
          const nouns = visit.method === 'scan' ? ['visit', 'scan'] : ['visit'];
          await feed.print(visit, (width) => describeVisit(visit, width), ...nouns);
        }
      }
    }
  },
};

// A visit is in an event for each webhook that names url.clicked.
const maxKnown = 10_000;

/** Throws if no webhook names url.clicked, so that no visit would come. */
async function requireClicks(client: Shorty, request: Context['request']): Promise<void> {
  for await (const { events } of client.webhooks.list({ limit: 100 }, request)) {
    if (events.includes('url.clicked')) return;
  }
  throw new UsageError(
    'no webhook names url.clicked, so the server writes no events of visits',
    'create one with shorty webhooks create <url> --event url.clicked',
  );
}

/** A visit in the event `url.clicked`. */
export type ClickedVisit = WebhookEvent<'url.clicked'>['data']['visits'][number];

/**
 * Formats a visit as one line of at most `width` columns: the time, the kind, the country, the device, the
 * link and the referrer. `scan?` is an inferred scan.
 */
export function describeVisit(visit: ClickedVisit, width: number): string {
  const { method, scanCertainty, country, deviceType } = visit;
  const parts = [
    visit.visitedAt.slice(11, 19),
    (scanCertainty === 'inferred' ? 'scan?' : method).padEnd('click'.length),
    fitText(country === 'Unknown' ? '--' : country, 2),
    fitText(deviceType, 'desktop'.length),
    visit.shortUrl.replace(/^https?:\/\//, '').padEnd(32),
    visit.referrerDomain,
  ];
  return cutText(parts.join('  '), width);
}
