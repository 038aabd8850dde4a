import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { badge, plainImage } from '../../../test/qr/logos.js';
import { encodeLogo } from '../drawing/draw-design.js';
import { QrDesignError, type QrLogo } from '../drawing/qr-design.js';
import { createLogoDecoder } from './logo-decoder.js';

const logos = createLogoDecoder();
afterAll(() => logos.stop());
const readLogo = async (bytes: Uint8Array) =>
  encodeLogo(await logos.decode('an organization', bytes));

async function refusal(bytes: Uint8Array | string): Promise<string> {
  const outcome = await readLogo(Buffer.from(bytes)).catch((error: unknown) => error);
  if (!(outcome instanceof QrDesignError))
    throw new Error('the logo was accepted', { cause: outcome });
  expect(outcome.field).toBe('logoUrl');
  return outcome.message;
}

const svg = (inside: string, prolog = '') =>
  `${prolog}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="20" height="20">${inside}<rect width="20" height="20"/></svg>`;

async function firstPixel(png: Uint8Array): Promise<number[]> {
  const { data } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  return [...data.subarray(0, 4)];
}

describe('an accepted logo', () => {
  it('is an SVG of any size, drawn at the stored size', async () => {
    const { width, height } = await readLogo(badge);
    expect([width, height]).toEqual([512, 512]);
    const huge = badge.toString().replaceAll('"60"', '"20000"');
    expect((await readLogo(Buffer.from(huge))).width).toBe(512);
  });

  it('is rotated as its EXIF orientation says', async () => {
    const bytes = await plainImage(60, 40).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const { width, height } = await readLogo(bytes);
    expect([width, height]).toEqual([40, 60]);
  });

  it('is converted to sRGB with 8 bits from CMYK and from 16 bits', async () => {
    const cmyk = await plainImage(30, 30, '#ff0000').toColourspace('cmyk').jpeg().toBuffer();
    expect((await sharp(cmyk).metadata()).space).toBe('cmyk');
    const [red = 0, green = 255] = await firstPixel((await readLogo(cmyk)).png);
    expect(red).toBeGreaterThan(200);
    expect(green).toBeLessThan(80);
    const deep = await plainImage(30, 30, '#ff0000').toColourspace('rgb16').png().toBuffer();
    expect((await sharp(deep).metadata()).depth).toBe('ushort');
    expect(await firstPixel((await readLogo(deep)).png)).toEqual([255, 0, 0, 255]);
  });

  it('stays transparent', async () => {
    const background = { r: 255, g: 0, b: 0, alpha: 0 };
    const clear = await sharp({ create: { width: 9, height: 9, channels: 4, background } })
      .png()
      .toBuffer();
    expect((await firstPixel((await readLogo(clear)).png))[3]).toBe(0);
  });

  it('is the first frame of an animation', async () => {
    const frames = await sharp(
      await Promise.all(
        ['#ff0000', '#0000ff'].map((colour) => plainImage(20, 20, colour).png().toBuffer()),
      ),
      { join: { animated: true } },
    )
      .webp({ lossless: true })
      .toBuffer();
    const { height, png } = await readLogo(frames);
    expect([height, await firstPixel(png)]).toEqual([20, [255, 0, 0, 255]]);
  });
});

describe('a refused logo', () => {
  it('an image with a side more than 8 times the other', async () => {
    expect(await refusal(await plainImage(90, 10).png().toBuffer())).toMatch(/8 times the other/);
  });

  it('an SVG of more than 64 KB', async () => {
    const bomb = svg('<text>a</text>'.repeat(65_000));
    expect(bomb.length).toBeGreaterThan(900_000);
    expect(await refusal(bomb)).toMatch(/an SVG of \d+ bytes: an SVG may have at most 65536 bytes/);
  });
});

describe('an SVG', () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.end();
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  const picture = join(mkdtempSync(join(tmpdir(), 'logo-')), 'red.png');
  beforeAll(() => plainImage(20, 20, '#ff0000').png().toFile(picture));

  const references: readonly ((address: string) => string)[] = [
    (address) => `<image href="${address}" width="20" height="20"/>`,
    (address) => `<use href="${address}#a"/>`,
    (address) => `<rect width="20" height="20" fill="url(${address}#a) none"/>`,
    (address) =>
      `<filter id="f"><feImage href="${address}"/></filter><rect width="20" height="20" filter="url(#f)"/>`,
    (address) => `<style>@import "${address}"; rect { fill: red }</style>`,
    (address) =>
      `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${address}" parse="text"/>`,
    (address) =>
      `<foreignObject><img xmlns="http://www.w3.org/1999/xhtml" src="${address}"/></foreignObject>`,
    (address) => `<script href="${address}">throw 1</script><g onload="fetch('${address}')"/>`,
  ];

  it.each(references.map((reference) => [reference('ADDRESS'), reference]))(
    'with %s reads no other file and no address',
    async (_, reference) => {
      const { port } = server.address() as AddressInfo;
      const addresses = [`http://127.0.0.1:${port}/a.png`, `file://${picture}`, picture];
      const document = `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">${addresses.map(reference).join('')}</svg>`;
      const drawn = await readLogo(Buffer.from(document)).catch((error: unknown) => error);
      if (!(drawn instanceof QrDesignError)) {
        expect(await firstPixel((drawn as QrLogo).png)).toEqual([0, 0, 0, 0]);
      }
      expect(requests).toBe(0);
    },
  );

  it('reads no file as an entity, and expands none without a limit', async () => {
    const entity = '<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]>';
    const text = `${entity}<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 99 99"><text y="50">&a;</text></svg>`;
    const read = await readLogo(Buffer.from(text)).catch((error: unknown) => error);
    if (!(read instanceof QrDesignError)) {
      const pixels = await sharp((read as QrLogo).png)
        .raw()
        .toBuffer();
      expect(pixels.every((value) => value === 0)).toBe(true);
    }
    let entities = '<!ENTITY a0 "<g/>">';
    for (let level = 1; level < 12; level += 1) {
      entities += `<!ENTITY a${level} "${`&a${level - 1};`.repeat(10)}">`;
    }
    const bomb = svg('&a11;', `<!DOCTYPE svg [${entities}]>`);
    let uses = '<g id="a0"><path d="M0 0h1"/></g>';
    for (let level = 1; level < 12; level += 1) {
      uses += `<g id="a${level}">${`<use href="#a${level - 1}"/>`.repeat(10)}</g>`;
    }
    const multiplied = svg(`<defs>${uses}</defs><use href="#a11"/>`);
    for (const document of [bomb, multiplied]) {
      const outcome = await readLogo(Buffer.from(document)).catch((error: unknown) => error);
      if (outcome instanceof QrDesignError) continue;
      expect(Math.max((outcome as QrLogo).width, (outcome as QrLogo).height)).toBe(512);
    }
  }, 60_000);
});
