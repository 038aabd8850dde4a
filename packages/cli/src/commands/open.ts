import type { DefineCommand } from '../command.js';
import type { Context } from '../context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { findLink } from '../find-link.js';
import { openInBrowser } from '../launch.js';

interface OpenOptions {
  readonly target?: boolean;
  readonly print?: boolean;
}

export const define: DefineCommand = (command, start) => {
  command
    .argument('[link]', "id, short URL, slug or code of a link (default: the server's API page)")
    .option('--target', 'open the target URL, which counts no click')
    .option('--print', 'print the URL instead of opening it')
    .action((link: string | undefined, options: OpenOptions) =>
      start((context) => open(context, link, options), { hasNoData: true }),
    );
};

async function open(
  context: Context,
  link: string | undefined,
  { target = false, print = false }: OpenOptions,
): Promise<ExitCode> {
  const { io, output } = context;
  const url = await urlOf(context, link, target);
  if (print) {
    await output.write(`${output.printable(url)}\n`);
    return exitCodes.done;
  }
  await openInBrowser(url, io);
  output.note(`opened ${url}`);
  return exitCodes.done;
}

async function urlOf(
  context: Context,
  link: string | undefined,
  opensTarget: boolean,
): Promise<string> {
  if (link === undefined) return `${(await context.settings()).baseUrl.value}/docs`;
  const client = await context.client();
  const { data } = await findLink(client, link, { signal: context.io.interrupt });
  return opensTarget ? data.targetUrl : data.shortUrl;
}
