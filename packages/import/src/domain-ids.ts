import { quoteCell } from './cell-values.js';
import type { ImportChunk, ImportRow } from './plan-chunks.js';

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * Replaces the hostnames of domains in rows by their ids, after the grouping, which must not depend on
 * the domains. A row whose domain is not found fails.
 */
export async function* withDomainIds(
  chunks: AsyncIterable<ImportChunk>,
  findId: (hostname: string) => Promise<string | undefined>,
): AsyncGenerator<ImportChunk> {
  const convert = async (row: ImportRow): Promise<ImportRow> => {
    const { item, ...place } = row;
    const name = item?.domainId;
    if (typeof name !== 'string' || uuid.test(name)) return row;
    const domainId = await findId(name.toLowerCase());
    if (domainId !== undefined) return { ...row, item: { ...item, domainId } };
    return { ...place, error: `there is no domain ${quoteCell(name)}` };
  };
  for await (const { index, rows } of chunks) {
    yield { index, rows: await Promise.all(rows.map(convert)) };
  }
}
