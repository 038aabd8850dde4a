/**
 * Creates `count` links, 100 a request. `slugOf` returns the slug of the link with an index. All links
 * have `fields`.
 */
export async function createLinks(server, count, slugOf = () => undefined, fields = {}) {
  for (let start = 0; start < count; start += 100) {
    const urls = Array.from({ length: 100 }, (_, index) => ({
      targetUrl: `https://example.com/landing/${start + index}?ref=bench`,
      customSlug: slugOf(start + index),
      ...fields,
    }));
    const response = await fetch(`${server.origin}/api/v1/urls/bulk`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${server.token}` },
      body: JSON.stringify({ urls }),
    });
    const { data } = await response.json();
    if (data.createdCount !== urls.length) throw new Error(JSON.stringify(data.errors[0]));
  }
}
