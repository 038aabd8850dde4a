import { z } from 'zod';
import { newPassword, timestamp } from '../contract/fields.js';
import { customSlug, settingInputs } from './link-fields.js';
import { targetUrl } from './target-url-field.js';
import { maxCodeLength } from './url-keys.js';

const maxImportedClicks = 1_000_000_000_000;

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
