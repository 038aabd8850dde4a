import { parseUrl } from '@shorty/import';
import { UsageError } from '../cli-error.js';
import { type CommandRow, collect } from '../command.js';
import type { Context } from '../context.js';
import { offerScheme } from '../prompt.js';
import { EventFeed, liveFormats } from './event-feed.js';
import { eventTypeFinder, splitTypes } from './event-types.js';
import { describeForward, forwardEvent, hasFailed } from './forward-event.js';
import { openListenState } from './listen-state.js';

export const listen: CommandRow = {
  summary: 'Forward events to a receiver on this machine',
  examples: [
    'shorty webhooks listen --forward-to http://localhost:3000/hooks \\\n  --events url.created,url.updated',
  ],
  options: {
    '--forward-to <url>': 'post each event to this URL, signed',
    '--events <types>': {
      text: 'event types, separated by commas (default: *, all but url.clicked)',
      parse: collect,
    },
  },
  help: `Reads the events of the organization from the server, so your machine needs no
public address. Signs each event, posts it to --forward-to, and prints the
response. An event that your receiver refuses is not sent again. It prints the
signing secret for your receiver, which stays the same; SHORTY_WEBHOOK_SECRET
sets another one. It stores its position for each profile: the next listen
continues there, with the events of up to 30 days.`,
  formats: liveFormats,
  run: async (context, options: { forwardTo?: string; events?: string[] }) => {
    const { io, output, request } = context;
    const target = await readTarget(options.forwardTo, context);
    const types = splitTypes(options.events ?? ['*']);
    if (types.length === 0) throw new UsageError('--events: names no event type');
    const named = types.filter((type) => type !== '*');
    if (named.length > 0) named.forEach(await eventTypeFinder(context));
    const client = await context.client();
    const state = await openListenState(context);
    const ownSecret = io.env.SHORTY_WEBHOOK_SECRET;
    const secret = ownSecret || state.get('secret');
    if (!state.has('after')) {
      const { nextAfter } = await client.events.list({ after: 'latest' }, request);
      state.store = { ...state.store, after: nextAfter, lastId: '' };
    }
    output.note(`signing secret: ${ownSecret ? 'SHORTY_WEBHOOK_SECRET' : secret}`);
    const forwarding = target ? `, forwarded to ${target.href}` : '';
    output.note(`waiting for events: ${types.join(', ')}${forwarding}; Ctrl-C stops`);
    let { after = '', lastId } = state.store;
    const nouns = target ? ['event', 'failure'] : ['event'];
    const feed = await EventFeed.open(context, ...nouns);
    try {
      for await (const { items, nextAfter } of feed.pages(client, after)) {
        // Events up to this one were handled before a restart.
        const handled = items.findIndex(({ id }) => id === lastId);
        for (const event of items.slice(handled + 1)) {
          const isInAll = types.includes('*') && event.type !== 'url.clicked';
          if (!isInAll && !types.includes(event.type)) continue;
          const forwarded = await forwardEvent(event, target, secret, io);
          // Before the output, so that no event is sent twice.
          state.set('lastId', event.id);
          await feed.print(
            forwarded,
            (width) => describeForward(forwarded, width, output.hasColor),
            ...(hasFailed(forwarded) ? ['event', 'failure'] : ['event']),
          );
          const { forwardError, forwardedStatus } = forwarded;
          const reason = forwardError ?? `your receiver answered ${forwardedStatus}`;
          if (hasFailed(forwarded)) output.warn(`  ${reason}`);
        }
        if (nextAfter !== after) state.store = { ...state.store, after: nextAfter, lastId: '' };
        after = nextAfter;
        lastId = '';
      }
    } catch (error) {
      // The interruption has aborted a request.
      if (!io.interrupt.aborted) throw error;
    }
  },
};

export async function readTarget(
  text: string | undefined,
  context: Context,
): Promise<URL | undefined> {
  if (text === undefined) return undefined;
  const url = parseUrl(await offerScheme(text, '--forward-to', context));
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(`--forward-to ${text}: must be an http or https URL`);
}
