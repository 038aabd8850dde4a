import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { badge } from '../../../test/qr/logos.js';
import { allowSvg } from './allow-svg.js';
import { LogoError } from './logo-error.js';

const svg = (inside: string, attributes = 'viewBox="0 0 100 100"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inside}</svg>`;

const allowed = (text: string) => allowSvg(Buffer.from(text));

function refusal(text: string): string {
  const startedAt = performance.now();
  try {
    allowed(text);
  } catch (error) {
    if (!(error instanceof LogoError)) throw error;
    // Checking the limits must be cheap.
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(error.message.length).toBeLessThan(500);
    return error.message;
  }
  throw new Error('the SVG was accepted');
}

describe('an accepted SVG', () => {
  it('contains nothing of the document that is not allowed', () => {
    const text = allowed(
      svg(
        '<title>SECRET</title><metadata><?xpacket SECRET?><x:rdf xmlns:x="urn:x">SECRET</x:rdf></metadata><!--SECRET-->' +
          '<x:view xmlns:x="urn:x" SECRET="1"><g/></x:view><![CDATA[SECRET]]>SECRET' +
          '<g class="SECRET" data-a="SECRET" xml:base="SECRET" style="-x:SECRET"><path id="p" d="M0,0 10-10.5"/></g><use href="#p"/>',
      ),
    );
    expect(text).not.toContain('SECRET');
    expect(text).toContain('<g><path id="p" d="M0,0 10-10.5"></path></g><use href="#p"></use>');
  });

  it('retains shapes, gradients, clip paths and references', () => {
    const text = allowed(
      svg(
        '<defs><linearGradient id="a" x1="0%" gradientTransform="rotate(45 .5 .5)"><stop offset="50%" style="stop-color:#f00;stop-opacity:.5"/></linearGradient>' +
          '<radialGradient id="b" xlink:href="#a" r=".4"/><clipPath id="c"><rect width="50%" height="9mm" rx="3"/></clipPath></defs>' +
          '<g clip-path="url(#c)" transform="translate(1 2),scale(3)" fill="red" style="fill:url(\'#b\') #fff ; filter : none;font-size:3px"><circle r="5"/>' +
          '<polygon points="1,2 3,4 5 6"/></g>',
      ),
    );
    for (const part of [
      '<stop offset="50%" stop-color="#f00" stop-opacity=".5">',
      '<radialGradient id="b" href="#a" r=".4">',
      '<rect width="50%" height="9mm" rx="3">',
      `<g clip-path="url(#c)" transform="translate(1 2),scale(3)" fill="url('#b') #fff " filter=" none">`,
      '<polygon points="1,2 3,4 5 6">',
    ]) {
      expect(text).toContain(part);
    }
  });

  it('has escaped values and one element for each id', () => {
    const text = allowed(svg('<path id="&lt;&amp;&quot;" d="&#60;g>"/><g id="a"/><g id="a"/>'));
    expect(text).toContain(
      '<path id="&lt;&amp;&quot;" d="&lt;g>"></path><g id="a"></g><g></g></svg>',
    );
  });

  it('has the size that browsers give to an image without one', () => {
    expect(allowed(svg('', ''))).toContain(' width="300" height="150">');
    expect(allowed(svg('', 'width="9"'))).toContain(' width="9" height="150">');
  });

  it('does not change when it is read again', () => {
    const once = allowed(badge.toString());
    expect(allowed(once)).toBe(once);
  });
});

const uses = (levels: number, each: number) => {
  let inside = '<path id="u0" d="M0 0h1"/>';
  for (let level = 1; level <= levels; level += 1) {
    inside += `<g id="u${level}">${`<use href="#u${level - 1}"/>`.repeat(each)}</g>`;
  }
  return svg(inside);
};
const clips = (levels: number) => {
  let inside = '<clipPath id="c0"><rect width="9" height="9"/></clipPath>';
  for (let level = 1; level <= levels; level += 1) {
    inside += `<clipPath id="c${level}" clip-path="url(#c${level - 1})"><g clip-path="url(#c${level - 1})"/></clipPath>`;
  }
  return svg(`${inside}<rect width="9" height="9" clip-path="url(#c${levels})"/>`);
};

describe('an SVG is refused by name', () => {
  it.each([
    ['text', svg('<text>a</text>'), /element "text".*convert text to paths/],
    ['a filter', svg('<filter id="a"/>'), /element "filter"/],
    ['a filter in use', svg('<g filter="url(#a)"/>'), /"filter" has the value/],
    ['a mask', svg('<mask id="a"/>'), /element "mask"/],
    ['a pattern', svg('<defs><pattern id="a"/></defs>'), /element "pattern"/],
    ['a marker', svg('<path d="M0 0" marker-end="url(#a)"/>'), /"marker-end"/],
    ['an animation', svg('<rect><animate/></rect>'), /element "animate" inside "rect"/],
    ['an SVG inside', svg('<svg/>'), /element "svg" inside "svg"/],
    ['a switch', svg('<switch/>'), /element "switch"/],
    [
      'an element of another prefix',
      svg('<s:text xmlns:s="http://www.w3.org/2000/svg"/>'),
      /"text"/,
    ],
    ['a style sheet', svg('<style><![CDATA[@import "//a"]]></style>'), /style sheet/],
    ['an unknown attribute', svg('<rect colour="red"/>'), /attribute "colour" of "rect"/],
    ['an event handler', svg('<rect onClick="a()"/>'), /event handlers.*"onClick"/],
    ['a script', svg('<script/>'), /a script/],
    ['another namespace', '<svg><rect/></svg>', /namespace/],
    ['a constructor', svg('<rect constructor="1"/>'), /attribute "constructor"/],
    ['a prototype', svg('<__proto__/>'), /element "__proto__"/],
    ['an entity', svg('<title>&a;</title>'), /cannot be read.*entity/],
    ['a processing instruction', svg('<?php echo 1?>'), /processing instruction "php"/],
    ['two roots', `${svg('')}${svg('')}`, /cannot be read/],
    ['a page behind a document type', '<!DOCTYPE html><svg/>', /a page or a document/],
    ['an external fill', svg('<g style="fill:url(//a#b)"/>'), /external reference/],
    ['an escaped fill', svg('<g fill="u\\72l(//a#b)"/>'), /external reference/],
    ['a second fill', svg('<g id="a" fill="url(#a) url(//a)"/>'), /external reference/],
    ['a data reference', svg('<use href="data:image/svg+xml,a"/>'), /external reference/],
    ['a missing reference', svg('<use href="#nobody"/>'), /missing element "#nobody"/],
    ['a use of the root', svg('<use href="#r"/>', 'id="r"'), /refers to itself/],
    ['a use of itself', svg('<g id="a"><use href="#a"/></g>'), /refers to itself/],
    [
      'a use in a circle',
      svg('<use id="a" href="#b"/><use id="b" href="#a"/>'),
      /refers to itself/,
    ],
    [
      'a clip in itself',
      svg('<clipPath id="a"><g clip-path="url(#a)"/></clipPath><g clip-path="url(#a)"/>'),
      /itself/,
    ],
    [
      'gradients in a circle',
      svg('<linearGradient id="a" href="#b"/><linearGradient id="b" href="#a"/>'),
      /refers to itself/,
    ],
    ['billions of uses', uses(11, 10), /draws more than 1000 elements/],
    ['a long chain of uses', uses(20, 1), /nests more than 32 elements/],
    ['nested clips', clips(11), /draws more than 1000 elements/],
    [
      '64 KB of nesting',
      svg('<g>'.repeat(9_000) + '</g>'.repeat(9_000)),
      /more than 1000 elements/,
    ],
    ['64 KB of elements', svg('<g/>'.repeat(16_000)), /more than 1000 elements/],
    ['dashes', svg('<path d="M0 0h9" stroke-dasharray=".0001"/>'), /"stroke-dasharray"/],
    ['dashes as a style', svg('<g style="stroke-dasharray:1"/>'), /"stroke-dasharray"/],
    ['60 KB of a reference', svg(`<g fill="url(${' '.repeat(60_000)}"/>`), /url\(#id\)/],
    ['60 KB of a style', svg(`<g style="${':'.repeat(60_000)}"/>`), /attribute ""/],
  ])('%s', (_, text, message) => {
    expect(text.length).toBeLessThan(90_000);
    expect(refusal(text)).toMatch(message);
  });
});

describe('any document', () => {
  const name = fc.constantFrom(
    ...['g', 'path', 'rect', 'use', 'defs', 'clipPath', 'linearGradient', 'stop', 'text', 'svg'],
  );
  const number = fc.oneof(fc.integer({ min: -9, max: 99 }), fc.double({ noNaN: true }));
  const numbers = fc.array(number, { maxLength: 9 }).map((list) => list.join(' '));
  const id = fc.constantFrom('a', 'b', 'c');
  const attribute = fc.oneof(
    id.map((value) => `id="${value}"`),
    id.map((value) => `href="#${value}"`),
    fc
      .tuple(fc.constantFrom('fill', 'clip-path'), id)
      .map(([key, value]) => `${key}="url(#${value})"`),
    fc
      .tuple(fc.constantFrom('x', 'width', 'rx', 'opacity'), number)
      .map(([key, value]) => `${key}="${value}"`),
    numbers.map((value) => `d="M${value}l${value}"`),
    numbers.map((value) => `transform="matrix(${value})"`),
    fc.string({ maxLength: 9 }).map((value) => `style="fill:${value.replaceAll('"', '')}"`),
  );
  const attributes = fc
    .uniqueArray(attribute, { maxLength: 4, selector: (text) => text.split('=', 1)[0] })
    .map((list) => list.join(' '));
  const { element } = fc.letrec<{ element: string }>((tie) => ({
    element: fc.oneof(
      { depthSize: 'medium' },
      fc.tuple(name, attributes).map(([tag, rest]) => `<${tag} ${rest}/>`),
      fc
        .tuple(name, attributes, fc.array(tie('element'), { maxLength: 4 }))
        .map(([tag, rest, children]) => `<${tag} ${rest}>${children.join('')}</${tag}>`),
      fc.string({ maxLength: 5 }),
    ),
  }));

  it('is copied from the allowed elements alone, or refused in time', () => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(element, { maxLength: 6 }), (children) => {
        const startedAt = performance.now();
        try {
          const text = allowed(svg(children.join('')));
          accepted += 1;
          expect(text).not.toMatch(
            /<(?!\/?(?:svg|g|path|rect|use|defs|clipPath|linearGradient|stop)[ >])/,
          );
          expect(allowed(text)).toBe(text);
        } catch (error) {
          if (!(error instanceof LogoError)) throw error;
        }
        expect(performance.now() - startedAt).toBeLessThan(1_000);
      }),
      { seed: 20_261_122, numRuns: 2_000 },
    );
    expect(accepted).toBeGreaterThan(50);
  });
});
