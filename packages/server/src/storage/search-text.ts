/** The fields of a link that `GET /api/v1/urls?search=` looks at. */
export interface SearchedFields {
  readonly title: string | null;
  readonly target_url: string;
  readonly custom_slug: string | null;
  readonly short_code: string;
}

// Folding replaces it with a space, so that no search term matches across two fields.
const separator = '\n';
// PostgreSQL stores no NUL, and SQLite's `like` takes these for the replacement character.
const notCharacters = /[\uFFFE\uFFFF]/g;

/**
 * The text that searches of a link compare with, stored in `urls.search_text`. JavaScript folds the
 * case, not the engine, so that SQLite and PostgreSQL find the same links.
 */
export function searchTextOf(fields: SearchedFields): string {
  const { title, target_url, custom_slug, short_code } = fields;
  return [title ?? '', target_url, custom_slug ?? '', short_code].map(foldText).join(separator);
}

/**
 * Folds the case of every script, so that `STRASSE`, `Straße` and `STRAẞE` are the same text. Folding
 * a part of a text gives the same part of the folded text; a final sigma, whose lower case depends on
 * its neighbours, is therefore an ordinary one.
 */
export function foldText(text: string): string {
  const plain = text
    .toWellFormed()
    .replaceAll('\0', '\uFFFD')
    .replaceAll(notCharacters, '\uFFFD')
    .replaceAll(separator, ' ');
  return plain.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}
