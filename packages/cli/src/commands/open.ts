import type { UrlRecord } from '@shorty/sdk';
import type { CommandRow } from '../command.js';
import { openInBrowser } from '../launch.js';
import { type Named, naming } from '../records.js';

export const open: CommandRow = {
  summary: 'Open a link in the web browser',
  examples: ['shorty open spring-sale', 'shorty open 42 --target', 'shorty open 42 --print'],
  args: { '[link]': naming('link', "the link (default: the server's API page)") },
  options: {
    '--target': 'open the target URL, which counts no click',
    '--print': 'print the URL instead of opening it',
  },
  hasNoData: true,
  run: async (
    { io, output, settings },
    { link, target, print }: { link?: Named<UrlRecord>; target?: boolean; print?: boolean },
  ) => {
    const record = await link?.read();
    const linked = target ? record?.targetUrl : record?.shortUrl;
    const url = linked ?? `${(await settings()).baseUrl.value}/docs`;
    if (print) return output.write(`${output.printable(url)}\n`);
    await openInBrowser(url, io);
    output.note(`opened ${url}`);
  },
};
