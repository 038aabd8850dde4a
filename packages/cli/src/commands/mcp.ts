import type { CommandRow } from '../command.js';
import type { Context } from '../context.js';

export const mcp: CommandRow = {
  summary: 'Give an AI assistant tools for links, QR codes and reports',
  examples: ['shorty mcp', 'shorty mcp --write', 'shorty mcp --profile work'],
  options: { '--write': 'also offer tools that create and change links and QR codes' },
  help: `Assistants start this command and talk to it on stdin and stdout. They get the
tools that the scopes of the credentials allow. docs/assistants.md has the
configuration of common assistants.`,
  hasNoData: true,
  run: async (
    { io, output, isInteractive, client, settings, request }: Context,
    { write = false }: { readonly write?: boolean },
  ) => {
    const shorty = await client();
    // Wrong credentials end the command here, with a message in the log of the assistant.
    const { organization, scopes } = await shorty.me(request);
    // The SDK of the protocol is large, and only this command needs it.
    const { allowedTools, serveMcp } = await import('../mcp/serve-mcp.js');
    const tools = allowedTools(scopes, write);
    const access = write
      ? 'reads and writes'
      : 'reads only; --write offers tools that change links';
    output.note(`MCP server of ${organization.name}: ${tools.length} tools; ${access}`);
    if (isInteractive) output.note('waiting for an assistant on stdin; Ctrl-C ends');
    const { baseUrl } = await settings();
    await serveMcp(io, shorty, tools, baseUrl.value, write);
  },
};
