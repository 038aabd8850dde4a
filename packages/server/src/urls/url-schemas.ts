import { z } from 'zod';
import { instant, newPassword, timestamp } from '../contract/fields.js';
import { targetUrl } from '../network/target-url.js';
import { customSlug, maxImportedClicks, recordFields, settingInputs } from './link-fields.js';
import { maxCodeLength } from './url-keys.js';

export const readsUrls = {
  tag: 'URLs',
  access: { scope: 'urls:read' },
  takesRestrictedKeys: true,
} as const;
export const writesUrls = { ...readsUrls, access: { scope: 'urls:write' } } as const;

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
  .object({ ...newLink, isActive: z.boolean() })
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
      .describe('The time of the last counted click. Null before the first click.'),
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

const importedCode = z
  .string()
  .min(1)
  .max(maxCodeLength)
  .regex(/^[A-Za-z0-9._~/-]+$/, 'must consist of letters, digits and the characters . _ ~ - /')
  .refine(
    (code) => code.split('/').every((segment) => !['', '.', '..'].includes(segment)),
    'must have no empty segment, and none that is . or ..',
  )
  .meta({
    description:
      'The code of a link that another system made, which becomes its short code: at most 100 letters, digits and . _ ~ - with / between segments. The first segment must not be a reserved word. It cannot be changed, and no other link on the domain can ever use it. A link can have a customSlug as well, which then stands in its shortUrl.',
    example: 'blog/spring_sale',
  });

const importedCreatedAt = timestamp
  .meta({ example: '2019-05-06T07:08:09Z' })
  .nullish()
  .describe(
    'When another system made the link: not in the future, and not before 1970. It becomes createdAt.',
  );

// The fields of both create and PATCH. At create, null has the same meaning as a missing field; at
// PATCH, it clears the field.
const settings = {
  ...settingInputs,
  isPasswordProtected: z.boolean().nullish(),
  password: newPassword(256).nullish().meta({
    format: 'password',
    description: 'Needed when isPasswordProtected is true. Stored only as a hash, never returned.',
    example: 'open sesame',
  }),
};

export const createFields = {
  targetUrl,
  customSlug: customSlug.nullish(),
  importedCode: importedCode.nullish(),
  ...settings,
  isActive: z
    .boolean()
    .nullish()
    .describe(
      'False creates a paused link, which answers with 410 until a PATCH sets isActive to true. True by default.',
    ),
  importedClicks: z.int().min(0).max(maxImportedClicks).nullish().meta({
    description:
      'The clicks that another link shortener counted before. Reports show them separately. 0 by default.',
    example: 1204,
  }),
  importedCreatedAt,
};

export const patchFields = {
  targetUrl: targetUrl.optional(),
  ...settings,
  isActive: z.boolean().optional(),
};
