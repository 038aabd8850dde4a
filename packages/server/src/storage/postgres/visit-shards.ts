// More shards would divide each transfer of visits into more rows.
const shardCount = 16;

/**
 * Returns the shard of an organization's visits, from 1 to 16. It is stored with the visits, so it must
 * never change.
 */
export function visitShardOf(organizationId: string): number {
  let hash = 0;
  for (let at = 0; at < organizationId.length; at += 1) {
    hash = (Math.imul(hash, 31) + organizationId.charCodeAt(at)) | 0;
  }
  return 1 + ((hash >>> 0) % shardCount);
}
