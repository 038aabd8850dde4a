// Creates a campaign link: a German page, the app for iPhones, and a test of two pages for everybody else.
// Reads SHORTY_BASE_URL, SHORTY_CLIENT_ID and SHORTY_CLIENT_SECRET.
import { Shorty } from '@shorty/sdk';

const shorty = new Shorty();

const { id, shortUrl } = await shorty.urls.create({
  targetUrl: 'https://example.com/sale',
  title: 'Sale',
  utmCampaign: 'sale',
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
console.log(`created ${shortUrl}`);

for (const visit of [{ language: 'de-AT' }, { os: 'iOS', device: 'mobile' }, {}]) {
  const { outcomes } = await shorty.urls.testRules(id, visit);
  for (const { variant, share, location } of outcomes) {
    console.log(`${JSON.stringify(visit)}: ${share * 100} % ${variant} → ${location}`);
  }
}

// After some visits, the report counts each rule and variant.
const { breakdowns } = await shorty.urls.clicks(id);
for (const { variant, clicks } of breakdowns.variant) console.log(`${variant}: ${clicks} clicks`);
