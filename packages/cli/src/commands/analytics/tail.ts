import { type ClickedVisit, describeVisit } from '../../analytics/describe-visit.js';
import { collect, type DefineCommand, formatOption } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { findLinkId } from '../../find-link.js';
import { formatCount, formatJson } from '../../format.js';
import { lineWidth } from '../../io.js';
import { resolveFormat } from '../../output.js';
import type { Received } from '../../webhooks/received.js';
import { StreamSession } from '../../webhooks/stream-session.js';

interface TailOptions {
  readonly link?: readonly string[];
  readonly tag?: readonly string[];
  readonly domainId?: readonly string[];
}

export const define: DefineCommand = (command, start) => {
  command
    .option('--link <link>', 'only this link: id, short URL, slug or code; repeatable', collect)
    .option('--tag <tag>', 'only links with this tag; repeatable', collect)
    .option('--domain-id <id>', 'only links on this custom domain; repeatable', collect)
    .addOption(
      formatOption(
        ['table', 'ndjson'],
        'output format (default: table on a terminal, otherwise ndjson)',
      ),
    )
    .addHelpText('after', help)
    .action((options: TailOptions) =>
      start((context) => tail(context, options), { ownsOutput: true }),
    );
};

const help = `
Prints each visit of a person about two seconds later: the time (UTC), whether
it was a click or a scan, the country, the device, the short URL and the
referrer. scan? is an inferred scan: a tap on the link looks the same.

Creates a temporary webhook for url.clicked, and needs the scope
webhooks:write. Its deliveries count in the usage. Ctrl-C deletes it; without
Ctrl-C, it expires after a minute.`;

async function tail(context: Context, options: TailOptions): Promise<ExitCode> {
  const { io, output, flags } = context;
  const isWatched = io.stdout.isTTY === true;
  const format = resolveFormat(flags, isWatched ? ['table', 'ndjson'] : ['ndjson', 'table']);
  const filters = await readFilters(context, options);
  const session = new StreamSession({
    context,
    events: ['url.clicked'],
    filters,
    replayLast: 0,
    target: undefined,
    ownSecret: undefined,
    onOpened(_stream, isFirst) {
      if (isFirst) output.note('waiting for visits; Ctrl-C stops');
    },
    async onReceived(received) {
      const clicked = clicksOf(received);
      if (received.isVerified === false || !clicked) {
        output.warn(`visits were not printed: ${received.refusal ?? 'the event has no visits'}`);
        return;
      }
      const { visits, omitted } = clicked;
      if (omitted > 0) {
        output.warn(`${formatCount(omitted, 'visit')} before these are missing: too many waited`);
      }
      const width = lineWidth(io.stdout);
      const lines = visits.map((visit) =>
        format === 'table' ? describeVisit(visit, width) : formatJson(visit),
      );
      await output.write(`${lines.join('\n')}\n`);
    },
  });
  await session.run();
  return io.interrupt.aborted ? exitCodes.interrupted : exitCodes.done;
}

async function readFilters(context: Context, { link, tag, domainId }: TailOptions) {
  if (!link && !tag && !domainId) return undefined;
  const client = await context.client();
  const request = { signal: context.io.interrupt };
  return {
    ...(tag && { tags: [...tag] }),
    ...(domainId && { domainIds: [...domainId] }),
    ...(link && {
      urlIds: await Promise.all(link.map((each) => findLinkId(client, each, request))),
    }),
  };
}

interface Clicked {
  readonly visits: readonly ClickedVisit[];
  readonly omitted: number;
}

/** Returns the visits of a verified event; undefined if it is another one. */
function clicksOf({ type, event }: Received): Clicked | undefined {
  return type === 'url.clicked' ? (event as { readonly data: Clicked }).data : undefined;
}
