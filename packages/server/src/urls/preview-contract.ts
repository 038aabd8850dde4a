import { z } from 'zod';
import { displayText } from '../contract/fields.js';
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

/** The preview of a link in a request. */
export const previewSetting = ownPreview.meta({
  description:
    'What messengers and social networks show of the link: their programs get a page with this title, text and image, and people are redirected. Without it, these programs follow the redirect.',
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
export const previewSettingRecord = previewRecord.nullable().meta({
  description: 'What link previews show of the link. Null: they follow the redirect.',
  example: null,
});
