import { z } from 'zod';
import { displayText } from '../contract/fields.js';
import { webUrl } from '../network/target-url.js';

export interface LinkPreview {
  readonly title: string;
  readonly description: string | null;
  readonly imageUrl: string | null;
}

export const maxPreviewTitle = 300;
export const maxPreviewDescription = 1_000;
const maxImageUrl = 2_048;

export const imageUrl = webUrl(maxImageUrl).meta({
  description: `The image: http or https, at most ${maxImageUrl} characters.`,
  example: 'https://example.com/sale.png',
});

const visibleRule = 'must have a character that is visible';
const hasVisibleText = (text: string) => text === '' || !/^[\s\p{Cf}]*$/u.test(text);

export const previewSetting = z
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
  .meta({ id: 'LinkPreviewRequest' })
  .meta({
    description:
      'What messengers and social networks show of the link: their programs get a page with this title, text and image, and people are redirected. Without it, these programs follow the redirect.',
    example: {
      title: 'Spring sale',
      description: 'Everything at half price',
      imageUrl: 'https://example.com/sale.png',
    },
  });

const text = z.string().nullable();

export const previewRecord = z
  .object({
    title: z.string().describe('The title that link previews show.'),
    description: text.describe('The text below the title. Null: none.'),
    imageUrl: text.describe('The URL of the image. Null: none.'),
  })
  .meta({ id: 'LinkPreview' })
  .nullable()
  .meta({
    description: 'What link previews show of the link. Null: they follow the redirect.',
    example: null,
  });
