// Downloads of cached QR codes, each counted, against a bare node:http server that sends the same
// bytes; and the rate of creates, which include drawing and decoding.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder, serve, serveShorty } from './lib/processes.mjs';
import { compare, median, report, reportUpper } from './lib/ratio.mjs';
import { load, pathsScript, requireWrk } from './lib/wrk.mjs';

const codes = 200;
const inFlight = 4;

export async function benchQrDownload({
  connections = 64,
  seconds = 3,
  runs = 7,
  bound = 0.5,
} = {}) {
  requireWrk();
  const shorty = await serveShorty();
  const ids = await createCodes(shorty);
  const paths = ids.map((id) => `/api/qr/${id}/download`);
  const bare = await serve('bench/bare-images.mjs', {
    IMAGES: await saveImages(shorty, paths),
  });

  const script = pathsScript(paths);
  const measure = (origin, latencies) => async () => {
    const { perSecond, p99Ms } = await load(origin, script, { connections, seconds });
    latencies.push(p99Ms);
    return perSecond;
  };
  const bareP99 = [];
  const ourP99 = [];
  for (const { origin } of [bare, shorty, bare, shorty]) {
    await load(origin, script, { connections, seconds: 3 });
  }
  const result = await compare({
    ceiling: measure(bare.origin, bareP99),
    ours: measure(shorty.origin, ourP99),
    runs,
  });
  report(`downloads, ${connections} connections`, result, bound, 'a second');
  reportUpper(
    `p99 of downloads with ${connections} connections ÷ the ceiling's`,
    median(ourP99) / median(bareP99),
    4,
    `${median(ourP99).toFixed(1)} ms against ${median(bareP99).toFixed(1)} ms`,
  );
  await bare.stop();
  await shorty.stop();
}

async function createCodes(shorty) {
  const ids = [];
  const startedAt = performance.now();
  const createSome = async () => {
    while (ids.length < codes) {
      const place = ids.push('') - 1;
      const response = await fetch(`${shorty.origin}/api/v1/qr`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${shorty.token}` },
        body: JSON.stringify({ data: `https://example.com/landing/${place}` }),
      });
      const { data } = await response.json();
      ids[place] = data.id;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, createSome));
  const perSecond = codes / ((performance.now() - startedAt) / 1000);
  console.log(
    `        creating PNGs of 512 pixels, drawn and decoded: ${Math.round(perSecond)} a second, ${inFlight} in flight`,
  );
  return ids;
}

async function saveImages(shorty, paths) {
  const images = {};
  for (const path of paths) {
    const response = await fetch(shorty.origin + path);
    images[path] = Buffer.from(await response.arrayBuffer()).toString('base64');
  }
  const file = join(scratchFolder(), 'images.json');
  writeFileSync(file, JSON.stringify(images));
  return file;
}
