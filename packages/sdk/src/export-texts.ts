interface ExportPage {
  readonly text: string;
  readonly nextAfter: string | null;
}

/** Yields the texts of all pages of an export. */
export async function* exportTexts<Query extends { after?: string | undefined }>(
  query: Query,
  fetchPage: (query: Query) => PromiseLike<ExportPage>,
): AsyncGenerator<string, void, undefined> {
  let page = await fetchPage(query);
  yield page.text;
  while (page.nextAfter !== null) {
    page = await fetchPage({ ...query, after: page.nextAfter });
    yield page.text;
  }
}
