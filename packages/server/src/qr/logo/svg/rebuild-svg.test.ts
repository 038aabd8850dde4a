import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { badge } from '../../../../test/qr/logos.js';
import { LogoError } from '../logo-error.js';
import { rebuildSvg } from './rebuild-svg.js';

const svg = (inside: string, attributes = 'viewBox="0 0 100 100"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inside}</svg>`;

const rebuilt = (text: string) => rebuildSvg(Buffer.from(text));

function refusal(text: string): string {
  const startedAt = performance.now();
  try {
    rebuilt(text);
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
  it('has the size of a logo, whatever its own size is', () => {
    for (const own of [
      'width="20000" height="10000"',
      'viewBox="0 0 2 1"',
      'width="20mm" height="10mm" viewBox="0 0 700 350"',
      'width="100%" height="100%" viewBox="0 0 700 350"',
      'width="1e2px" viewBox="-5,-5,200,100"',
      '',
    ]) {
      expect(rebuilt(svg('', own))).toMatch(/ width="512" height="256" viewBox=/);
    }
  });

  it('contains nothing of the document that is not allowed', () => {
    const text = rebuilt(
      svg(
        '<title>SECRET</title><metadata><x:rdf xmlns:x="urn:x">SECRET</x:rdf></metadata><!--SECRET-->' +
          '<x:view xmlns:x="urn:x" SECRET="1"><g/></x:view><![CDATA[SECRET]]>SECRET' +
          '<g id="SECRET" class="SECRET" data-a="SECRET" xml:base="SECRET" style="-x:SECRET"><path id="p" d="M0,0 10-10.5.5.5z"/></g><use href="#p"/>',
      ),
    );
    expect(text).not.toContain('SECRET');
    expect(text).toContain('<path id="i0" d="M0 0L10 -10.5L0.5 0.5z"');
    expect(text).toContain('<use href="#i0">');
  });

  it('retains shapes, gradients, clip paths and references', () => {
    const text = rebuilt(
      svg(
        '<defs><linearGradient id="a" x1="0%" gradientTransform="rotate(45 .5 .5)"><stop offset="50%" style="stop-color:#f00;stop-opacity:.5"/></linearGradient>' +
          '<radialGradient id="b" xlink:href="#a" r=".4"/><clipPath id="c"><rect width="50%" height="9mm" rx="3"/></clipPath></defs>' +
          '<g clip-path="url(#c)" transform="translate(1 2),scale(3)" fill=" url(\'#b\') #fff" style="stroke : none ; fill-rule:evenodd"><circle r="5"/>' +
          '<path d="m1 2 3 4a5 5 0 1150 60V7H8c1,2 3,4 5,6s1 2 3 4q1 2 3 4t5 6Z"/><polygon points="1,2 3,4 5 6"/></g>',
      ),
    );
    for (const part of [
      'x1="0%"',
      'offset="0.5"',
      'stop-color="#f00"',
      'stop-opacity="0.5"',
      '<radialGradient id="i1" href="#i0" r="0.4">',
      'clip-path="url(#i2)"',
      'transform="matrix(3 0 0 3 1 2)"',
      'fill="url(#i1) #fff"',
      'stroke="none"',
      'fill-rule="evenodd"',
      'd="m1 2l3 4a5 5 0 1 1 50 60V7H8c1 2 3 4 5 6s1 2 3 4q1 2 3 4t5 6z"',
      'points="1 2 3 4 5 6"',
    ]) {
      expect(text).toContain(part);
    }
  });

  it('does not change when it is rebuilt again', () => {
    const once = rebuilt(badge.toString());
    expect(rebuilt(once)).toBe(once);
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
    ['a shape inside a shape', svg('<rect><rect/></rect>'), /"rect" inside "rect"/],
    ['an unknown attribute', svg('<rect colour="red"/>'), /attribute "colour" of "rect"/],
    ['an event handler', svg('<rect onClick="a()"/>'), /event handlers.*"onClick"/],
    ['a script', svg('<script/>'), /a script/],
    ['another namespace', '<svg><rect/></svg>', /namespace/],
    ['a constructor', svg('<rect constructor="1"/>'), /attribute "constructor"/],
    ['a prototype', svg('<__proto__/>'), /element "__proto__"/],
    ['UTF-16', '<?xml version="1.0" encoding="UTF-16"?><svg/>', /encoding "UTF-16"/],
    ['an entity', svg('<title>&a;</title>'), /cannot be read.*entity/],
    ['a processing instruction', svg('<?php echo 1?>'), /processing instruction "php"/],
    ['two roots', `${svg('')}${svg('')}`, /cannot be read/],
    ['a page behind a document type', '<!DOCTYPE html><svg/>', /a page or a document/],
    ['an external fill', svg('<g style="fill:url(//a#b)"/>'), /external reference/],
    ['a data reference', svg('<use href="data:image/svg+xml,a"/>'), /external reference/],
    ['a missing reference', svg('<use href="#nobody"/>'), /"#nobody", which it does not have/],
    ['a use of a gradient', svg('<linearGradient id="a"/><use href="#a"/>'), /of another kind/],
    ['a use of the root', svg('<use href="#r"/>', 'id="r"'), /of another kind/],
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
      /more than 8 gradients/,
    ],
    ['billions of uses', uses(11, 10), /draws more than 1000 elements/],
    ['a long chain of uses', uses(200, 1), /more than 32 elements inside one another/],
    ['nested clips', clips(11), /draws more than 1000 elements/],
    ['64 KB of nesting', svg('<g>'.repeat(9_000) + '</g>'.repeat(9_000)), /more than 32 elements/],
    ['64 KB of elements', svg('<g/>'.repeat(16_000)), /more than 1000 elements/],
    [
      'thousands of stops',
      svg(`<linearGradient>${'<stop/>'.repeat(900)}</linearGradient>`),
      /64 stops/,
    ],
    ['a huge view box', svg('', 'viewBox="0 0 1e300 1e300"'), /a number must be at most 1000000/],
    ['an empty view box', svg('', 'viewBox="0 0 0 0"'), /at least 0.001/],
    ['a negative width', svg('', 'width="-1" height="-1"'), /width is -1/],
    ['a stripe', svg('', 'width="900" height="100"'), /one side may be at most 8 times/],
    [
      'extreme coordinates',
      svg(`<path d="M0 0${'L1e308 -1e308'.repeat(4_000)}"/>`),
      /at most 1000000/,
    ],
    ['far coordinates', svg(`<path d="M0 0${'l9e5 9e5'.repeat(4_000)}"/>`), /reaches more than/],
    ['far curves', svg('<path d="M0 0C1 1 900000 5 3 3"/>'), /reaches more than/],
    ['far arcs', svg('<path d="M0 0A900000 900000 0 0 0 1 1"/>'), /reaches more than/],
    [
      'a far transformation',
      svg(`${'<g transform="scale(100)">'.repeat(9)}<rect width="1"/>${'</g>'.repeat(9)}`),
      /reaches more than/,
    ],
    [
      'an infinite transformation',
      svg(`<g transform="${'scale(1e6)'.repeat(60)}"><rect/></g>`),
      /reaches more than/,
    ],
    ['a huge stroke', svg('<g stroke-width="1e6"/>'), /reaches more than/],
    ['dashes', svg('<path d="M0 0h9" stroke-dasharray=".0001"/>'), /"stroke-dasharray"/],
    ['dashes as a style', svg('<g style="stroke-dasharray:1"/>'), /"stroke-dasharray"/],
    ['60 KB of segments', svg(`<path d="M0 0${'h1'.repeat(30_000)}"/>`), /at most 20000 segments/],
    [
      'segments many times',
      svg(`<path id="a" d="M0 0${'h1'.repeat(9_000)}"/>${'<use href="#a"/>'.repeat(3)}`),
      /draws more than 20000 segments/,
    ],
    ['60 KB of digits', svg(`<path d="M${'1'.repeat(60_000)}"/>`), /at most 40 characters/],
    ['60 KB of spaces', svg(`<path d="${' '.repeat(60_000)}x"/>`), /cannot be read as a path/],
    ['60 KB of a reference', svg(`<g fill="url(${' '.repeat(60_000)}"/>`), /url\(#id\)/],
    ['60 KB of a style', svg(`<g style="${':'.repeat(60_000)}"/>`), /attribute ""/],
    [
      '60 KB of a transformation',
      svg(`<g transform="${'('.repeat(60_000)}"/>`),
      /a transformation must be/,
    ],
    [
      'an objectBoundingBox clip',
      svg('<clipPath clipPathUnits="objectBoundingBox"/>'),
      /userSpaceOnUse/,
    ],
    ['60 KB of letters', svg(`<g transform="${'a'.repeat(60_000)}"/>`), /a transformation must be/],
    ['a broken path', svg('<path d="M1 2L3"/>'), /"d" has the value "M1 2L3": cannot be read/],
    ['a path without a move', svg('<path d="L1 2"/>'), /a path must begin with M/],
    ['an odd point', svg('<polygon points="1 2 3"/>'), /must be pairs of numbers/],
    ['a unit of an object', svg('<rect width="1constructor"/>'), /the unit of a length/],
    ['a transformation of an object', svg('<g transform="toString(1)"/>'), /must be matrix/],
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

  it('is rebuilt from the allowed elements alone, or refused in time', () => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(element, { maxLength: 6 }), (children) => {
        const startedAt = performance.now();
        try {
          const text = rebuilt(svg(children.join('')));
          accepted += 1;
          expect(text).not.toMatch(
            /<(?!\/?(?:svg|g|path|rect|use|defs|clipPath|linearGradient|stop)[ >])/,
          );
          expect(rebuilt(text)).toBe(text);
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
