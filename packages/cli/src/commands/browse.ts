import type { Shorty } from '@shorty/sdk';
import { UsageError } from '../cli-error.js';
import type { CommandRow } from '../command.js';
import type { Context } from '../context.js';
import { isRichTerminal } from '../io.js';
import { copyText, openInBrowser } from '../launch.js';
import type { BrowseApi } from '../ui/browse-screen.js';

export const browse: CommandRow = {
  summary: 'Search links, pause and share them',
  examples: ['shorty browse', 'shorty browse spring'],
  args: { '[search]': 'text to search for' },
  hasNoData: true,
  run: async (context, { search = '' }: { readonly search?: string }) => {
    const { io } = context;
    if (!context.isInteractive || !isRichTerminal(io.stdout, io.env)) {
      throw new UsageError('browse needs a terminal', 'shorty urls list prints links');
    }
    const client = await context.client();
    const api = createApi(context, client);
    // Sends the first request before the screen changes, because the screen would hide its error.
    await api.list(search, 0, io.interrupt);
    const { showBrowse } = await import('../ui/browse-screen.js');
    await showBrowse(api, search, io);
  },
};

function createApi({ io, request }: Context, client: Shorty): BrowseApi {
  return {
    list: (search, offset, signal) =>
      client.urls.list(
        {
          ...(search.trim() !== '' && { search: search.trim() }),
          offset,
          limit: 100,
          view: 'full',
        },
        { signal },
      ),
    setActive: (id, isActive) => client.urls.update(id, { isActive }, request),
    open: (url) => openInBrowser(url, io),
    copy: async (text) => {
      io.stdout.write(await copyText(text, io));
    },
  };
}
