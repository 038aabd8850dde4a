import type { QrRecord } from '@shorty/sdk';
import { Option } from 'commander';
import type { DefineCommand } from '../../command.js';
import type { Context } from '../../context.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { findLinkId } from '../../find-link.js';
import type { Column } from '../../output.js';
import { addPageOptions, listPages, type PageOptions } from '../page-options.js';

interface ListOptions extends PageOptions {
  readonly urlId?: string;
  readonly standalone?: boolean;
  readonly bound?: boolean;
}

const columns: readonly Column<QrRecord>[] = [
  { name: 'id', value: (code) => code.id, isWhole: true },
  { name: 'urlId', value: (code) => code.urlId },
  { name: 'qrData', value: (code) => code.qrData },
  { name: 'format', value: (code) => code.format },
  { name: 'size', value: (code) => code.size },
  { name: 'scanCount', value: (code) => code.scanCount },
  { name: 'downloadCount', value: (code) => code.downloadCount },
];

export const define: DefineCommand = (command, start) => {
  command
    .option('--url-id <link>', 'only QR codes of this link (id, short URL, slug or short code)')
    .addOption(new Option('--standalone', 'only QR codes without a link').conflicts('bound'))
    .option('--bound', 'only QR codes of links');
  addPageOptions(command, 'QR code').action((options: ListOptions) =>
    start((context) => listQrs(context, options)),
  );
};

async function listQrs(context: Context, options: ListOptions): Promise<ExitCode> {
  const { urlId, standalone, bound, ...pages } = options;
  const client = await context.client();
  const request = { signal: context.io.interrupt };
  const filter = {
    ...(urlId === undefined ? {} : { urlId: await findLinkId(client, urlId, request) }),
    ...(standalone || bound ? { standalone: standalone === true } : {}),
  };
  await listPages(context, pages, columns, (page) =>
    client.qr.list({ ...filter, ...page }, request),
  );
  return exitCodes.done;
}
