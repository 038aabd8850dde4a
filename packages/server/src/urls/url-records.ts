import { z } from 'zod';
import { instant } from '../contract/fields.js';
import { recordFields } from './link-fields.js';

export const id = z.string().meta({ description: 'A decimal integer as a string.', example: '42' });
const shortCode = z.string().meta({ example: 'aB3xY9q' });
const shortUrl = z.string().meta({
  description: 'The public link: the custom slug when there is one, otherwise the short code.',
  example: 'https://sho.example/spring-sale',
});
const targetUrlOut = z.string().meta({ example: 'https://example.com/spring?ref=mail#offers' });
const customSlugOut = z.string().nullable().meta({ example: 'spring-sale' });
const organizationId = z.string().meta({ format: 'uuid' });

export const newLink = {
  id,
  shortCode,
  targetUrl: targetUrlOut,
  customSlug: customSlugOut,
  shortUrl,
};

const slugRefusals = ['INVALID', 'RESERVED', 'TAKEN'] as const;

export const slugCheck = z
  .object({
    slug: z.string().meta({ description: 'The slug of the request.', example: 'spring-sale' }),
    isAvailable: z.boolean().describe('Whether a new link may have it.'),
    reason: z.enum(slugRefusals).nullable().meta({
      description:
        'INVALID: it is no slug. RESERVED: it is a reserved word. TAKEN: a link of the domain has, or had, it. Null if it is available.',
      example: null,
    }),
    message: z.string().nullable().describe('What is wrong with it, in words.'),
  })
  .meta({ id: 'SlugCheck' });

export const urlListItem = z
  .object({
    id,
    shortCode,
    customSlug: customSlugOut,
    shortUrl,
    targetUrl: targetUrlOut,
    isActive: z.boolean(),
  })
  .meta({ id: 'UrlListItem' });

export const urlRecord = z
  .object({
    ...newLink,
    organizationId,
    ...recordFields,
    isPasswordProtected: z.boolean(),
    isActive: z.boolean(),
    clickCount: z.int().min(0).describe('Clicks counted so far.'),
    excludedClicks: z
      .int()
      .min(0)
      .describe(
        'Visits since the creation that are no clicks: of bots, link previews, prefetches, HEAD requests and excluded addresses.',
      ),
    clicksLeft: z.int().min(0).nullable().meta({ example: 58 }),
    lastClickAt: instant
      .nullable()
      .describe(
        'The time of the last counted click. Null before the first click, and if only version 0.1 counted clicks.',
      ),
    takenDown: z
      .object({
        at: instant.describe('When the operator took the link down, in UTC.'),
        reason: z.string().meta({ description: 'Why.', example: 'phishing' }),
      })
      .nullable()
      .meta({
        description:
          'Set while the operator of the server has taken the link down: visitors get 451. The owner cannot undo it.',
        example: null,
      }),
    createdAt: instant,
    updatedAt: instant,
  })
  .meta({ id: 'UrlRecord' });
