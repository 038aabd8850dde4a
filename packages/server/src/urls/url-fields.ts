import { z } from 'zod';
import type { ErrorDetail } from '../contract/errors.js';
import {
  atMost,
  characters,
  displayText,
  line,
  newPassword,
  plainLine,
  timestamp,
  uuid,
} from '../contract/fields.js';
import { maxTargetUrlBytes } from '../network/target-url.js';
import { linkRules } from './link-rules.js';
import { previewSetting } from './preview-contract.js';
import { targetUrl } from './target-url-field.js';
import { maxCodeLength } from './url-keys.js';

const maxImportedClicks = 1_000_000_000_000;

const expiredUrl = targetUrl.nullish().meta({
  description: `Where visitors are sent (302) when the link has expired or its maxClicks are used up, instead of a page that says so: http or https, at most ${maxTargetUrlBytes} bytes. It must not lead to a host of short links on this server. Such visits are not counted. A link that is paused, deleted or taken down does not lead there.`,
  example: 'https://example.com/sale-is-over',
});

const maxClicks = z.int().min(1).max(maxImportedClicks).nullish().meta({
  description:
    'How many clicks the link redirects in all. Then visitors get 410, or are sent to expiredUrl. Clicks before the limit was set count, those of another link shortener do not. Link previews, bots and HEAD requests are redirected without using a click.',
  example: 100,
});

/** What is wrong with an `activatesAt` that is not before `expiresAt`. */
export const activationRule = 'must be before expiresAt';

export const customSlug = z
  .string()
  .min(3, 'must be 3 to 50 characters long')
  .max(50, 'must be 3 to 50 characters long')
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/,
    'must consist of letters, digits and hyphens (A-Z a-z 0-9 -), without a hyphen at either end',
  )
  .meta({
    description: 'Case-sensitive. It cannot be changed, and no other link can ever use it.',
    example: 'spring-sale',
  });

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

const importedCreatedAt = timestamp.meta({ example: '2019-05-06T07:08:09Z' }).nullish().meta({
  description:
    'When another system made the link: not in the future, and not before 1970. It becomes createdAt.',
});

export const redirectType = z
  .literal([301, 302, 307, 308], { error: 'must be 301, 302, 307 or 308' })
  .meta({ description: 'The HTTP status of the redirect.', example: 307 });

const maxUtmLength = 512;
const utmValue = line(maxUtmLength, 1);

const maxCustomUtmParams = 50;

const utmName = characters(maxUtmLength, 1).refine(
  (name) => name.isWellFormed(),
  'must be well-formed Unicode (it contains an unpaired surrogate)',
);

const customUtmParams = atMost(
  maxCustomUtmParams,
  `must have at most ${maxCustomUtmParams} pairs`,
  z.record(utmName, line(maxUtmLength)).meta({
    description:
      'Further parameters to set on the target, by name. A name may have any characters. A field such as utmSource wins over the same parameter here.',
    example: { utm_id: 'abc.123' },
  }),
);

const maxThresholds = 20;

const clickThresholds = atMost(
  maxThresholds,
  `must have at most ${maxThresholds} thresholds`,
  z.array(z.int().min(1)).min(1, 'must have at least one threshold'),
)
  .overwrite((thresholds) => [...new Set(thresholds)].sort((a, b) => a - b))
  .meta({
    description: `The click counts at which url.click_threshold is sent, instead of the server's: at most ${maxThresholds}, stored in ascending order without repetitions. Counts that the link has already reached send nothing.`,
    example: [50, 500],
  });

export const tagName = plainLine(100, 1);

export const externalId = line(255, 1).meta({
  description:
    'The id of the link in another system. It is unique in the organization, deleted links included.',
  example: 'order-1001',
});

// The fields of both create and PATCH. At create, null has the same meaning as a missing field; at
// PATCH, it clears the field.
const settings = {
  externalId: externalId.nullish(),
  title: displayText(500).nullish().meta({ example: 'Spring sale' }),
  description: displayText(5000).nullish(),
  category: displayText(100).nullish().meta({ example: 'campaigns' }),
  tags: atMost(
    20,
    'must have at most 20 tags',
    z.array(tagName).overwrite((tags) => [...new Set(tags)]),
  )
    .nullish()
    .meta({ example: ['launch', 'mail'] }),
  domainId: uuid.nullish().meta({
    description: "An active custom domain of the organization; the platform's domain otherwise.",
  }),
  redirectType: redirectType.nullish(),
  activatesAt: timestamp.nullish().meta({
    description:
      'When the link starts redirecting: before expiresAt. Until then, visitors get 404, as for a link that does not exist.',
  }),
  expiresAt: timestamp.nullish().meta({
    description: 'When the link stops redirecting. Must lie in the future.',
  }),
  expiredUrl,
  maxClicks,
  isPasswordProtected: z.boolean().nullish(),
  password: newPassword(256).nullish().meta({
    format: 'password',
    description: 'Needed when isPasswordProtected is true. Stored only as a hash, never returned.',
    example: 'open sesame',
  }),
  utmSource: utmValue.nullish().meta({ example: 'newsletter' }),
  utmMedium: utmValue.nullish().meta({ example: 'email' }),
  utmCampaign: utmValue.nullish(),
  utmTerm: utmValue.nullish(),
  utmContent: utmValue.nullish(),
  customUtmParams: customUtmParams.nullish(),
  sourceDomain: line(253).nullish().meta({
    description: 'A hint for attribution.',
    example: 'blog.example.com',
  }),
  clickThresholds: clickThresholds.nullish(),
  forwardQuery: z.boolean().nullish(),
  forwardPath: z.boolean().nullish(),
  rules: linkRules.nullish(),
  preview: previewSetting.nullish(),
};

/** The fields of a new link. */
export const createFields = {
  targetUrl,
  customSlug: customSlug.nullish(),
  importedCode: importedCode.nullish(),
  ...settings,
  isActive: z.boolean().nullish().meta({
    description:
      'False creates a paused link, which answers with 410 until a PATCH sets isActive to true. True by default.',
  }),
  importedClicks: z.int().min(0).max(maxImportedClicks).nullish().meta({
    description:
      'The clicks that another link shortener counted before. Reports show them separately. 0 by default.',
    example: 1204,
  }),
  importedCreatedAt,
};

/** The fields of a change. */
export const patchFields = {
  targetUrl: targetUrl.optional(),
  ...settings,
  isActive: z.boolean().optional(),
};

/** Returns the error of a link that has protection without a password, or the reverse. */
export function findPasswordError(
  isProtected: boolean,
  isGiven: boolean,
  hadPassword: boolean,
): ErrorDetail | undefined {
  if (isProtected && !isGiven && !hadPassword) {
    return { path: 'password', message: 'is needed when isPasswordProtected is true' };
  }
  if (isProtected || !isGiven) return undefined;
  return { path: 'isPasswordProtected', message: 'must be true when a password is given' };
}

/** Refuses a link that would start redirecting after its end. */
export function checkActivation(
  {
    activatesAt,
    expiresAt,
  }: z.output<z.ZodObject<Pick<typeof settings, 'activatesAt' | 'expiresAt'>>>,
  context: z.RefinementCtx,
): void {
  if (activatesAt == null || expiresAt == null) return;
  if (Date.parse(activatesAt) < Date.parse(expiresAt)) return;
  context.addIssue({ code: 'custom', path: ['activatesAt'], message: activationRule });
}
