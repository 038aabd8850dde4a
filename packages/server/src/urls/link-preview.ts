import { findTargetUrlError } from '../network/target-url.js';

/** What link previews show of a link. */
export interface LinkPreview {
  readonly title: string;
  readonly description: string | null;
  readonly imageUrl: string | null;
}

/** The preview that the owner of a link wants: an own one, or that of the target. */
export type PreviewSetting = LinkPreview | 'auto';

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

/** The outcome of reading a target for a preview. */
export type PreviewResult = LinkPreview | { readonly error: string };

/** What is stored about reading a target. */
export interface PreviewFetch {
  /** The number of attempts that have begun. */
  readonly attempts: number;
  /** When the last one ended, and its outcome. */
  readonly last?: { readonly at: number; readonly result: PreviewResult };
}

/** Returns the stored form of a preview: `auto` or JSON. */
export function formatPreview(preview: PreviewSetting | null): string | null {
  return preview === null || preview === 'auto' ? preview : JSON.stringify(preview);
}

export function parsePreview(stored: string | null): PreviewSetting | null {
  return stored === null || stored === 'auto' ? stored : JSON.parse(stored);
}

/** The fields of a link that decide its preview. */
export interface PreviewedUrl {
  readonly targetUrl: string;
  readonly preview: PreviewSetting | null;
  readonly previewFetch: PreviewFetch | null;
  /** When the target is to be read; null if it need not be. */
  readonly previewDueAt: number | null;
}

/** Returns what link previews show of a link; undefined if they follow its redirect. */
export function shownPreviewOf({
  preview,
  previewFetch,
}: Pick<PreviewedUrl, 'preview' | 'previewFetch'>): LinkPreview | undefined {
  if (preview !== 'auto') return preview ?? undefined;
  const result = previewFetch?.last?.result;
  return result === undefined || 'error' in result ? undefined : result;
}

/** Returns the change of a link by which its target is read again if that is necessary. */
export function schedulePreview(
  before: Pick<PreviewedUrl, 'targetUrl' | 'preview'>,
  { targetUrl, preview }: Pick<PreviewedUrl, 'targetUrl' | 'preview'>,
  now: number,
): Pick<PreviewedUrl, 'previewFetch' | 'previewDueAt'> | undefined {
  if (preview !== 'auto') {
    return before.preview === 'auto' ? { previewFetch: null, previewDueAt: null } : undefined;
  }
  if (before.preview === 'auto' && before.targetUrl === targetUrl) return undefined;
  return { previewFetch: null, previewDueAt: now };
}

/** What the record of a link says about reading its target. */
interface FetchedPreviewRecord {
  readonly status: 'pending' | 'fetched' | 'failed';
  readonly title: string | null;
  readonly description: string | null;
  readonly imageUrl: string | null;
  readonly fetchedAt: string | null;
  readonly error: string | null;
}

/** Returns what the record says about reading the target; null if it is not read. */
export function presentPreviewFetch({
  preview,
  previewFetch,
  previewDueAt,
}: PreviewedUrl): FetchedPreviewRecord | null {
  if (preview !== 'auto') return null;
  const { at, result } = previewFetch?.last ?? {};
  const shown = result === undefined || 'error' in result ? undefined : result;
  const settled = shown ? 'fetched' : 'failed';
  return {
    status: previewDueAt === null ? settled : 'pending',
    title: shown?.title ?? null,
    description: shown?.description ?? null,
    imageUrl: shown?.imageUrl ?? null,
    fetchedAt: at === undefined ? null : new Date(at).toISOString(),
    error: result !== undefined && 'error' in result ? result.error : null,
  };
}
