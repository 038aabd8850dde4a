import { z } from 'zod';
import { displayText, instant } from '../contract/fields.js';
import { parseInput } from '../contract/parse-input.js';
import {
  findImageUrlError,
  type LinkPreview,
  maxPreviewDescription,
  maxPreviewImageUrl,
  maxPreviewTitle,
} from './link-preview.js';

const imageUrl = z
  .string()
  .check(({ value, issues }) => {
    const error = findImageUrlError(value);
    if (error) issues.push({ code: 'custom', message: error, input: value });
  })
  .meta({
    description: `The image: http or https, at most ${maxPreviewImageUrl} characters.`,
    pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
    maxLength: maxPreviewImageUrl,
    example: 'https://example.com/sale.png',
  });

const visibleRule = 'must have a character that is visible';
const hasVisibleText = (text: string) => text === '' || !/^[\s\p{Cf}]*$/u.test(text);

const ownPreview = z
  .strictObject({
    title: displayText(maxPreviewTitle, 1).refine(hasVisibleText, visibleRule).meta({
      description: 'The title that link previews show.',
      example: 'Spring sale',
    }),
    description: displayText(maxPreviewDescription).nullish().meta({
      description: 'The text below the title.',
      example: 'Everything at half price',
    }),
    imageUrl: imageUrl.nullish(),
  })
  .transform(
    ({ title, description, imageUrl: image }): LinkPreview => ({
      title,
      description: description ?? null,
      imageUrl: image ?? null,
    }),
  )
  .meta({ id: 'LinkPreviewRequest' });

const previewRule = 'must be "auto", or an object with title, description and imageUrl';

// A union has one error for all of its parts, which names no field.
const nameFields: Parameters<typeof z.preprocess>[0] = (input, context) => {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const parsed = parseInput(ownPreview, input);
  if (parsed.ok) return input;
  for (const { path, message } of parsed.details) {
    context.addIssue({ code: 'custom', path: [path], message });
  }
  return input;
};

/** The preview of a link in a request. */
export const previewSetting = z
  .preprocess(nameFields, z.union([z.literal('auto'), ownPreview], { error: previewRule }))
  .meta({
    description:
      'What messengers and social networks show of the link: their programs get a page with this title, text and image, and people are redirected. "auto": those of the target, which the server reads in the background. Without it, these programs follow the redirect.',
    example: {
      title: 'Spring sale',
      description: 'Everything at half price',
      imageUrl: 'https://example.com/sale.png',
    },
  });

const text = z.string().nullable();

const previewFields = {
  description: text.meta({ description: 'The text below the title. Null: none.' }),
  imageUrl: text.meta({ description: 'The URL of the image. Null: none.' }),
};

const previewRecord = z
  .object({
    title: z.string().meta({ description: 'The title that link previews show.' }),
    ...previewFields,
  })
  .meta({ id: 'LinkPreview' });

/** The preview of a link in a response. */
export const previewSettingRecord = z
  .union([z.literal('auto'), previewRecord])
  .nullable()
  .meta({
    description:
      'What link previews show of the link. "auto": fetchedPreview. Null: they follow the redirect.',
    example: null,
  });

export const fetchedPreviewRecord = z
  .object({
    status: z.enum(['pending', 'fetched', 'failed']).meta({
      description:
        'pending: the target is still to be read, again if error is not null. failed: previews follow the redirect.',
    }),
    title: text.meta({ description: 'The title of the target. Null: it was not read.' }),
    ...previewFields,
    fetchedAt: instant.nullable().meta({ description: 'When the target was last read.' }),
    error: text.meta({ description: 'Why it could not be read. Null: no error.', example: null }),
  })
  .meta({ id: 'FetchedPreview' })
  .nullable()
  .meta({
    description: 'What the server read from the target. Null unless preview is "auto".',
    example: null,
  });
