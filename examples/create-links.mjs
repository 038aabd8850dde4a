// Creates three links, one of them with a custom slug, lists them, and pauses one.
// Reads SHORTY_BASE_URL, SHORTY_CLIENT_ID and SHORTY_CLIENT_SECRET.
import { ConflictError, Shorty } from '@shorty/sdk';

const shorty = new Shorty();

const { created, errors } = await shorty.urls.bulkCreate([
  { targetUrl: 'https://www.rfc-editor.org/rfc/rfc9110', tags: ['example'] },
  { targetUrl: 'https://www.rfc-editor.org/rfc/rfc3986', tags: ['example'], utmSource: 'shorty' },
]);
for (const { index, error } of errors) console.error(`link ${index}: ${error}`);

try {
  await shorty.urls.create({
    targetUrl: 'https://nodejs.org/docs/latest/api/',
    customSlug: 'node-docs',
    tags: ['example'],
  });
} catch (error) {
  // In a second run, the link of the first run already has the slug.
  if (!(error instanceof ConflictError)) throw error;
  console.error(error.message);
}

for await (const { shortUrl, targetUrl } of shorty.urls.list({ tag: 'example' })) {
  console.log(`${shortUrl} → ${targetUrl}`);
}

const [first] = created;
const { isActive } = await shorty.urls.update(first.id, { isActive: false });
console.log(`${first.shortUrl} is ${isActive ? 'active' : 'paused'}`);
