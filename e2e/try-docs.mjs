import chromium from '@sparticuz/chromium';
import { chromium as playwright } from 'playwright-core';
import axe from 'axe-core';
import { createServer } from '@shorty/server';
const server = createServer(); await server.start();
const browser = await playwright.launch({ executablePath: await chromium.executablePath(), args: [...chromium.args.filter((f) => !/^--(single-process|disable-web-security)/.test(f))], headless: true });
const only = process.argv[2];
for (const [view, viewport] of Object.entries({ phone: { width: 360, height: 740 }, desktop: { width: 1280, height: 900 } })) for (const colorScheme of ['light', 'dark']) {
  if (only && !`${view}-${colorScheme}`.startsWith(only)) continue;
  const page = await browser.newPage({ viewport, colorScheme });
  page.setDefaultTimeout(20000);
  page.on('console', (m) => console.log('CONSOLE', m.text().slice(0, 300)));
  const check = async (name) => {
    console.log(await page.evaluate(() => [...document.querySelectorAll('#docs *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('pre')).slice(0, 12).map((e) => e.tagName + '.' + e.className + ' ' + Math.round(e.getBoundingClientRect().width) + ' ' + Math.round(e.getBoundingClientRect().right))));
    await page.evaluate(axe.source);
    const { violations } = await page.evaluate(() => axe.run());
    console.log(`== ${name} ${view} ${colorScheme} width ${await page.evaluate(() => document.documentElement.scrollWidth)}`);
    for (const v of violations) { console.log(v.id, v.nodes.length); for (const n of v.nodes.slice(0, 6)) console.log('   ', n.target.join(' '), '|', n.html.slice(0, 120), '|', (n.failureSummary.split('\n')[1] ?? '').slice(0, 160)); }
    await page.screenshot({ path: `/tmp/shots/d-${name}-${view}-${colorScheme}.png`, fullPage: name !== 'auth' });
  };
  await page.goto(`${server.url}/docs`);
  await page.locator('#operations-URLs-createUrl').waitFor();
  if (process.env.DUMP) console.log(await page.evaluate(() => document.querySelector('#docs').innerHTML.replace(/<path[^>]*>|<svg[^>]*>|<\/svg>|<\/path>/g, '').slice(0, 6000)));
  await check('list');
  await page.locator('#operations-URLs-createUrl .opblock-summary-control').click();
  await page.getByRole('button', { name: 'Try it out' }).click();
  await page.getByRole('button', { name: 'Execute' }).waitFor();
  if (process.env.DUMP) console.log(await page.evaluate(() => document.querySelector('#operations-URLs-createUrl .no-margin, #operations-URLs-createUrl .opblock-body').innerHTML.replace(/<path[^>]*>|<svg[^>]*>|<\/svg>|<\/path>/g, '').slice(0, 5000)));
  await check('operation');
  await page.locator('.btn.authorize').click();
  await page.waitForSelector('.dialog-ux');
  if (process.env.DUMP) console.log(await page.evaluate(() => document.querySelector('.dialog-ux').innerHTML.replace(/<path[^>]*>|<svg[^>]*>|<\/svg>|<\/path>/g, '').slice(0, 5000)));
  await check('auth');
  await page.close();
}
await browser.close(); await server.stop();
