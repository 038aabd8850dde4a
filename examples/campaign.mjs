// Creates a campaign link, or changes the one that has its id: a German page, the app for iPhones, and a test
// of two pages for everybody else. It ends in summer or after 10,000 clicks, and messengers show a preview.
// Reads SHORTY_BASE_URL, SHORTY_CLIENT_ID and SHORTY_CLIENT_SECRET.
import { PermissionError, Shorty } from '@shorty/sdk';

const shorty = new Shorty();

const { id, shortUrl } = await shorty.urls.upsert('campaign-7', {
  targetUrl: 'https://example.com/sale',
  title: 'Sale',
  utmCampaign: 'sale',
  forwardQuery: true,
  activatesAt: '2026-01-01',
  expiresAt: new Date('2035-07-01T00:00:00Z'),
  maxClicks: 10_000,
  expiredUrl: 'https://example.com/sale-is-over',
  preview: { title: 'Sale', description: 'Everything at half price' },
  rules: [
    { name: 'german', when: { language: 'de' }, targetUrl: 'https://example.com/de/sale' },
    { name: 'iphone', when: { os: 'iOS', device: 'mobile' }, targetUrl: 'https://example.com/app' },
    {
      name: 'pages',
      when: {},
      variants: [
        { targetUrl: 'https://example.com/sale-a', weight: 50 },
        { targetUrl: 'https://example.com/sale-b', weight: 50 },
      ],
    },
  ],
});
console.log(`the link is ${shortUrl}`);

for (const visit of [{ language: 'de-AT' }, { os: 'iOS', device: 'mobile' }, {}]) {
  const { outcomes } = await shorty.urls.testRules(id, visit);
  for (const { variant, share, location } of outcomes) {
    console.log(`${JSON.stringify(visit)}: ${share * 100} % ${variant} → ${location}`);
  }
}

// After some visits, the report counts each rule and variant.
const { breakdowns } = await shorty.urls.clicks(id);
for (const { variant, clicks } of breakdowns.variant) console.log(`${variant}: ${clicks} clicks`);

// A deleted link can be restored. An erased one cannot, and needs the scope urls:erase, which the first
// client of a server does not have.
await shorty.urls.delete(id);
const { isActive } = await shorty.urls.restore(id);
console.log(`restored: ${isActive}`);
try {
  const { targetUrl } = await shorty.urls.erase(id);
  console.log(`erased: ${targetUrl === ''}`);
} catch (error) {
  if (!(error instanceof PermissionError)) throw error;
  console.log(`not erased: ${error.message}`);
}
