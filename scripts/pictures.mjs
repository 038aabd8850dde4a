// `node scripts/pictures.mjs`: takes the pictures of the documentation: the report in a terminal, and screens
// of the dashboard. Their links are those of the examples, and their visitors those of the demo.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build, fail, install, root } from './bootstrap.mjs';
import { people, programs } from './demo-visitors.mjs';

install();
build();
const { createServer } = await import('../packages/server/dist/index.js');
const { parseAddressRanges } = await import('../packages/server/dist/network/ip-address.js');
const { Shorty } = await import('../packages/sdk/dist/index.js');
const importOfTests = (name) => import(createRequire(join(root, 'e2e/package.json')).resolve(name));
const { default: chromium } = await importOfTests('@sparticuz/chromium');
const { chromium: playwright } = (await importOfTests('playwright-core')).default;

const dayMs = 24 * 60 * 60 * 1000;
// More people on weekdays, and a campaign in the last week. One in five visits another link.
const visitsOfDay = [
  ...[9, 12, 14, 11, 6, 4, 13, 15, 17, 14, 12, 7, 5, 16],
  ...[18, 25, 31, 28, 12, 8, 22, 35, 74, 91, 80, 41, 33, 47],
];
const shortDomain = 'go.example.com';

let now = Date.now() - visitsOfDay.length * dayMs;
const server = createServer({
  shortDomain,
  clock: () => now,
  trustedProxies: parseAddressRanges('127.0.0.1,::1'),
});
await server.start();
try {
  const { clientId, clientSecret } = server.credentials;
  const credentials = { SHORTY_CLIENT_ID: clientId, SHORTY_CLIENT_SECRET: clientSecret };
  const rows = readFileSync(join(root, 'examples/links.csv'), 'utf8').split('\n').slice(0, 40);
  await shorty(credentials, ['urls', 'bulk-create', '-'], rows.join('\n'));
  const client = new Shorty({ baseUrl: server.url, clientId, clientSecret });
  const sale = await client.urls.create({
    targetUrl: 'https://shop.example/spring?from=newsletter',
    customSlug: 'spring-sale',
    title: 'Spring sale',
    tags: ['spring', 'newsletter'],
  });
  const visits = await visit(sale, await client.urls.list({ limit: 8 }));
  await until(async () => (await client.analytics.overview()).totals.totalClicks === visits);
  const command = ['urls', 'clicks', 'spring-sale', '--since', '14d'];
  const report = await shorty(credentials, command);
  // That of the first start has expired.
  const { invitationUrl } = await client.people.invite({
    email: 'owner@example.com',
    role: 'owner',
  });
  await takePictures(`$ shorty ${command.join(' ')}\n${report}`, sale, invitationUrl);
} finally {
  await server.stop();
}

/** Sends the visits of all days, and sets the clock to each of them. Returns the number of clicks. */
async function visit(sale, { items }) {
  const others = items.filter(({ id }) => id !== sale.id);
  let count = 0;
  for (const [day, visits] of visitsOfDay.entries()) {
    for (let at = 0; at < visits; at += 1) {
      now += Math.floor(dayMs / visits);
      const link = at % 5 === 4 ? others[(day + at) % others.length] : sale;
      const [, agent, address, referer = ''] = people[(at * 5 + day) % people.length];
      const [network] = /^.*\./.exec(address);
      await send(link, agent, `${network}${(at * 7 + day) % 200}`, referer);
      count += 1;
    }
    for (const [, agent, address] of programs) await send(sale, agent, address, '');
  }
  now = Date.now();
  return count;
}

async function send({ shortUrl }, agent, address, referer) {
  const headers = {
    host: shortDomain,
    'user-agent': agent,
    'x-forwarded-for': address,
    'accept-language': 'en',
    referer,
  };
  const request = get(`${server.url}${new URL(shortUrl).pathname}`, { headers });
  const [response] = await once(request, 'response');
  response.resume();
  if (response.statusCode !== 307) fail(`${shortUrl}: got ${response.statusCode}, not 307`);
}

async function until(isTrue) {
  for (let tries = 0; !(await isTrue()); tries += 1) {
    if (tries === 100) fail('the visits are not counted after 10 s');
    await sleep(100);
  }
}

/** Runs the command line, and returns what it prints. */
function shorty(credentials, args, input = '') {
  const env = { ...process.env, ...credentials, SHORTY_BASE_URL: server.url, COLUMNS: '80' };
  const child = spawn(process.execPath, ['packages/cli/bin/shorty.js', ...args], {
    cwd: root,
    env,
  });
  child.stdin.end(input);
  return new Promise((resolve) => {
    let output = '';
    child.stdout.on('data', (text) => (output += text));
    child.on('close', () => resolve(output));
  });
}

/** Takes a picture of a text in a terminal; signs the owner in, and takes pictures of the screens. */
async function takePictures(text, { id }, invitationUrl) {
  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    args: chromium.args.filter((flag) => flag !== '--single-process'),
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const style = 'font: 13px/1.164 monospace; background: #18181b; color: #e4e4e7; padding: 14px';
  const markup = text.trimEnd().replaceAll(/[▁-▏]+/g, '<span style="color: #60a5fa">$&</span>');
  await page.setContent(`<pre style="${style}; width: max-content">${markup}</pre>`);
  await page.locator('pre').screenshot({ path: join(root, 'docs/report.png') });
  await page.goto(invitationUrl);
  await page.getByLabel('New password').fill('correct horse battery');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Links' }).waitFor();
  for (const [name, path] of [
    ['links', '/'],
    ['report', `/report/${id}`],
    ['qr', `/links/${id}/qr`],
  ]) {
    await page.goto(`${server.url}/dashboard${path}`, { waitUntil: 'networkidle' });
    await page.screenshot({ path: join(root, `docs/dashboard-${name}.png`) });
  }
  await browser.close();
}
