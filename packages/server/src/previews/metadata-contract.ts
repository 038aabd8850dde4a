import { z } from 'zod';
import { defineRoute } from '../contract/define-route.js';
import { targetUrl } from '../network/target-url.js';
import { readsUrls } from '../urls/url-schemas.js';

const text = z.string().nullable();

export const pageMetadata = z
  .object({
    title: text.meta({ description: 'The title. Null: the page could not be read.' }),
    description: text.meta({ description: 'Its description. Null: none.' }),
    imageUrl: text.meta({ description: 'The URL of its picture. Null: none.' }),
    error: text.meta({
      description: 'Why the page could not be read. Null: it was.',
      example: null,
    }),
  })
  .meta({ id: 'PageMetadata' });

export const metadataRoutes = [
  // Before the routes of /api/v1/urls/{id}.
  defineRoute('getUrlMetadata', 'GET /api/v1/urls/metadata', {
    ...readsUrls,
    summary: 'Read the title and the picture of a page',
    description:
      'The server requests the page now, for at most 5 seconds, and reads its first 256 KB: the tags of Open Graph, then those of Twitter, then the title. It reaches public addresses only.',
    query: z.strictObject({
      url: targetUrl.meta({ description: 'The address of the page: http or https.' }),
    }),
    responses: { 200: { description: 'What the page says about itself', data: pageMetadata } },
  }),
] as const;
