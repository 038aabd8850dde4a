import type { CommandRow } from '../command.js';
import { copyText } from '../launch.js';
import { operations } from '../operations.js';
import { offerScheme } from '../prompt.js';

export const shorten: CommandRow = {
  summary: 'Create a short link and print it',
  examples: [
    'shorty shorten https://example.com/spring --slug spring --copy',
    'shorty shorten https://example.com/poster --qr',
  ],
  args: { '<url>': 'URL to redirect to' },
  options: {
    '--slug <slug>': 'custom slug',
    '--copy': 'copy the short URL to the clipboard',
    '--qr': 'draw the QR code of the short URL',
  },
  help: 'shorty URL is the same. urls create sets all fields of a link.',
  prints: operations.createUrl.prints,
  run: async (
    context,
    { url, slug, copy, qr }: { url: string; slug?: string; copy?: boolean; qr?: boolean },
  ) => {
    const { io, output } = context;
    const targetUrl = await offerScheme(url, 'the URL', context);
    const client = await context.client();
    const body = { targetUrl, ...(slug !== undefined && { customSlug: slug }) };
    const created = await client.urls.create(body, context.request);
    const { shortUrl } = created;
    await output.value(shortUrl, created);
    if (copy) {
      const sequence = await copyText(shortUrl, io);
      const isCopied = sequence === '' || io.stderr.isTTY === true;
      if (isCopied) io.stderr.write(sequence);
      output.note(isCopied ? 'copied' : 'not copied: neither a clipboard program nor a terminal');
    }
    if (qr) await (await import('../qr/terminal-code.js')).drawQr(context, shortUrl);
  },
};
