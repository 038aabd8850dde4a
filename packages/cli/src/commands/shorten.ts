import type { DefineCommand } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { copyText } from '../launch.js';
import { drawQr } from '../qr/draw-qr.js';
import { offerScheme } from '../scheme.js';

interface ShortenOptions {
  readonly slug?: string;
  readonly copy?: boolean;
  readonly qr?: boolean;
}

export const define: DefineCommand = (command, start) => {
  command
    .argument('<url>', 'URL to redirect to')
    .option('--slug <slug>', 'custom slug')
    .option('--copy', 'copy the short URL to the clipboard')
    .option('--qr', 'draw the QR code of the short URL')
    .addHelpText('after', '\nshorty URL is the same. urls create sets all fields of a link.')
    .action((url: string, { slug, copy, qr }: ShortenOptions) =>
      start(async (context) => {
        const { io, output } = context;
        const targetUrl = await offerScheme(url, 'the URL', context);
        const client = await context.client();
        const body = { targetUrl, ...(slug !== undefined && { customSlug: slug }) };
        const created = await client.urls.create(body, { signal: io.interrupt });
        const { shortUrl } = created;
        if (output.format === 'table' && !output.fields) await output.write(`${shortUrl}\n`);
        else await output.record(created);
        if (copy) {
          io.stderr.write(await copyText(shortUrl, io));
          output.note('copied');
        }
        if (qr) await drawQr(context, shortUrl);
        return exitCodes.done;
      }),
    );
};
