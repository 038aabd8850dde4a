export function parseTags(text: string): string[] {
  return text === '' ? [] : text.slice(1, -1).split('\n');
}

/** Returns the text of `urls.tags`: each tag between line breaks. */
export function formatTags(tags: readonly string[]): string {
  return tags.length === 0 ? '' : `\n${tags.join('\n')}\n`;
}

/** Returns the text that `urls.tags` contains when a link has a tag. No tag has a line break. */
export function tagTextOf(tag: string): string {
  return `\n${tag}\n`;
}
