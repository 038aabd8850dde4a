import { describe, expect, it } from 'vitest';
import { readPageMetadata } from './page-metadata.js';

const pageUrl = new URL('https://example.com/shop/sale?a=1');
const read = (page: string) => readPageMetadata(page, pageUrl);
const inHead = (head: string) => `<!doctype html><html><head>${head}</head><body></body></html>`;

describe('the metadata of a page', () => {
  it('is that of Open Graph, then of Twitter, then of the page', async () => {
    const page = `<title>Page</title>
<meta name="description" content="From the page">`;
    const twitter = `<meta name="twitter:title" content="Twitter">
<meta name="twitter:image" content="https://example.com/t.png">`;
    const openGraph = `<meta property="og:title" content="Open Graph">
<meta property="og:description" content="From Open Graph">
<meta property="og:image" content="https://example.com/o.png">`;
    expect(await read(inHead(page))).toEqual({
      title: 'Page',
      description: 'From the page',
      imageUrl: null,
    });
    expect(await read(inHead(page + twitter))).toEqual({
      title: 'Twitter',
      description: 'From the page',
      imageUrl: 'https://example.com/t.png',
    });
    expect(await read(inHead(page + twitter + openGraph))).toEqual({
      title: 'Open Graph',
      description: 'From Open Graph',
      imageUrl: 'https://example.com/o.png',
    });
  });

  it.each([
    ['<meta content="A &amp; B &#8211; &quot;C&quot;" property=og:title>', 'A & B – "C"'],
    ["<META PROPERTY='OG:TITLE' CONTENT='Upper'>", 'Upper'],
    ['<meta property="og:title" content="First"><meta property="og:title" content="2">', 'First'],
    ['<meta property="og:title" content=" "><title>Page</title>', 'Page'],
    ['<title>\n  Two\tlines\n\n here  </title>', 'Two lines here'],
    ['<title>a &lt;b&gt; <b>c</b></title>', 'a <b> <b>c</b>'],
    ['<script>"<title>Script</title>"</script><title>Page</title>', 'Page'],
    ['<!-- <title>Comment</title> --><title>Page</title>', 'Page'],
    ...['textarea', 'style'].map((name): [string, string] => [
      `<${name}><title>Text</title></${name}><title>Page</title>`,
      'Page',
    ]),
    ['<title>gnp.\u202eexe\u0007\u0000</title>', 'gnp.exe'],
    ['<title>half \ud83d</title>', 'half \ufffd'],
  ])('of %j has the title %j', async (head, title) => {
    expect((await read(inHead(head)))?.title).toBe(title);
  });

  it('has no title of an image in the body, and metadata of the body only if it is there', async () => {
    const image = '<body><svg><title>Menu</title></svg></body>';
    expect(await read(image)).toBeUndefined();
    expect(await read(`<body><meta property="og:title" content="Late">${image}`)).toMatchObject({
      title: 'Late',
    });
    expect(await read('')).toBeUndefined();
    expect(await read(inHead('<meta property="og:image" content="/a.png">'))).toBeUndefined();
  });

  it('is trimmed to what is stored, by characters', async () => {
    const long = await read(
      inHead(
        `<title>${'🌷'.repeat(400)}</title><meta name="description" content="${'x'.repeat(2_000)}">`,
      ),
    );
    expect(long?.title).toBe(`${'🌷'.repeat(299)}…`);
    expect(long?.description).toBe(`${'x'.repeat(999)}…`);
    const exact = await read(inHead(`<title>${'x'.repeat(300)}</title>`));
    expect(exact?.title).toBe('x'.repeat(300));
  });
});

describe('the image', () => {
  const imageOf = async (head: string) => (await read(inHead(`<title>t</title>${head}`)))?.imageUrl;

  it.each([
    ['/a b.png', 'https://example.com/a%20b.png'],
    ['sale.png', 'https://example.com/shop/sale.png'],
    [' HTTP://example.com/x ', 'http://example.com/x'],
    ['javascript:alert(1)', null],
    ['data:image/png;base64,AAAA', null],
    ['https://user:secret@example.com/a.png', null],
    [`https://example.com/${'a'.repeat(2_048)}`, null],
  ])('%s is %s', async (content, expected) => {
    expect(await imageOf(`<meta property="og:image" content="${content}">`)).toBe(expected);
  });

  it('is resolved against the base of the document', async () => {
    const image = '<meta property="og:image" content="a.png">';
    expect(await imageOf(`<base href="https://cdn.example/x/">${image}`)).toBe(
      'https://cdn.example/x/a.png',
    );
    expect(await imageOf(`<base href="/y/">${image}`)).toBe('https://example.com/y/a.png');
    expect(await imageOf(`<base href="http://[">${image}`)).toBe('https://example.com/shop/a.png');
  });
});

it.each([
  ['nested elements', '<b>'.repeat(80_000)],
  ['end tags without a start', `${'<b>'.repeat(99)}${'</i>'.repeat(60_000)}`],
  [
    'attributes',
    `<meta ${'a'.repeat(100_000)} ${Array.from({ length: 20_000 }, (_, at) => `b${at}`).join(' ')}>`,
  ],
  ['character references', '&'.repeat(250_000)],
  ['comments', '<!--'.repeat(60_000)],
])('a hostile page of many %s is read', async (_, body) => {
  expect((await read(`<title>Hostile</title>${body}`))?.title).toBe('Hostile');
});

it('is read in slices, so that other work is done in between', async () => {
  let turns = 0;
  const count = () => {
    turns += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  await read(inHead(`<title>Long</title>${'<meta name="a" content="b">'.repeat(9_700)}`));
  clearImmediate(timer);
  expect(turns).toBeGreaterThanOrEqual(60);
});
