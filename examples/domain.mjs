// Adds a domain with a home page, pages for unknown and ended links, and the documents that open an app.
// Then creates a link only if none has its target.
// Reads SHORTY_BASE_URL, SHORTY_CLIENT_ID and SHORTY_CLIENT_SECRET.
import { Shorty } from '@shorty/sdk';

const shorty = new Shorty();
const fingerprint = Array(32).fill('A1').join(':');

const domain = await shorty.domains.create({ hostname: 'go.example.com' });
const { rootUrl, ignoreCase } = await shorty.domains.update(domain.id, {
  rootUrl: 'https://www.example.com/',
  notFoundUrl: 'https://www.example.com/lost',
  expiredUrl: 'https://www.example.com/over',
  ignoreCase: true,
  forwardQuery: true,
  assetLinks: [
    {
      relation: ['delegate_permission/common.handle_all_urls'],
      target: {
        namespace: 'android_app',
        package_name: 'com.example',
        sha256_cert_fingerprints: [fingerprint],
      },
    },
  ],
});
console.log(`${domain.hostname} leads to ${rootUrl}, in any case: ${ignoreCase}`);

const link = { targetUrl: 'https://example.com/shop', ifExists: 'return' };
const first = await shorty.urls.create(link);
const second = await shorty.urls.create(link);
console.log(`the same link: ${first.id === second.id}`);

await shorty.domains.delete(domain.id);
