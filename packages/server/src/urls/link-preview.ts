import { findTargetUrlError } from '../network/target-url.js';

/** What link previews show of a link. */
export interface LinkPreview {
  readonly title: string;
  readonly description: string | null;
  readonly imageUrl: string | null;
}

export const maxPreviewTitle = 300;
export const maxPreviewDescription = 1_000;
export const maxPreviewImageUrl = 2_048;

/** Returns why a text is not the URL of an image, or undefined when it is one. */
export function findImageUrlError(text: string): string | undefined {
  if (text.length > maxPreviewImageUrl) {
    return `must be at most ${maxPreviewImageUrl} characters long`;
  }
  return findTargetUrlError(text);
}
