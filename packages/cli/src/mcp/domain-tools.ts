import { z } from 'zod';
import { dataOf } from '../response-data.js';
import { pageOf } from './output-schema.js';
import { defineTool, type Tool } from './tool.js';

export const domainTools: readonly Tool[] = [
  defineTool({
    name: 'find_domains',
    title: 'Find custom domains',
    description:
      'Lists the custom domains of the organization, newest first. create_link takes the id of one as domainId. Only a domain whose isActive is true takes links.',
    access: 'read',
    scopes: ['domains:read'],
    input: z.strictObject({
      limit: z.int().min(1).max(100).describe('domains on a page').default(20),
      after: z.string().describe('nextAfter of the page before').exactOptional(),
    }),
    output: pageOf('domains', dataOf('getDomain')),
    run: async (page, { client, signal }) => {
      const { total, items, nextAfter } = await client.domains.list(page, { signal });
      return { data: { total, domains: items, nextAfter } };
    },
  }),
];
