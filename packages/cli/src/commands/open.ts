import type { UrlRecord } from '@shorty/sdk';
import type { CommandRow } from '../command.js';
import type { Context } from '../context.js';
import { openInBrowser } from '../launch.js';
import { type Named, naming } from '../records.js';

interface OpenInput {
  readonly link?: Named<UrlRecord>;
  readonly target?: boolean;
  readonly print?: boolean;
}

export const open: CommandRow = {
  summary: 'Open a link in the web browser',
  examples: ['shorty open spring-sale', 'shorty open 42 --target', 'shorty open 42 --print'],
  args: { '[link]': naming('link', "the link (default: the server's API page)") },
  options: {
    '--target': 'open the target URL, which counts no click',
    '--print': 'print the URL instead of opening it',
  },
  hasNoData: true,
  run: async (context, input: OpenInput) => {
    const { io, output } = context;
    const url = await urlOf(context, input);
    if (input.print) return output.write(`${output.printable(url)}\n`);
    await openInBrowser(url, io);
    output.note(`opened ${url}`);
  },
};

async function urlOf(context: Context, { link, target }: OpenInput): Promise<string> {
  if (link === undefined) return `${(await context.settings()).baseUrl.value}/docs`;
  const { targetUrl, shortUrl } = await link.read();
  return target ? targetUrl : shortUrl;
}
