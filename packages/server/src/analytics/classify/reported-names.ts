/** Common names in place of those of the user agent parser. */
export const browserNames: ReadonlyMap<string, string> = new Map([
  ['Mobile Safari', 'Safari'],
  ['Chrome WebView', 'Android WebView'],
  ['IE', 'Internet Explorer'],
  ['IEMobile', 'Internet Explorer'],
  ['Line', 'LINE'],
  ['KAKAOTALK', 'KakaoTalk'],
  ['GSA', 'Google app'],
  ['Opera Mobi', 'Opera'],
  ['Opera Touch', 'Opera'],
]);

export const osNames: ReadonlyMap<string, string> = new Map([
  ['Mac OS', 'macOS'],
  ['Chromium OS', 'ChromeOS'],
  ['Chrome OS', 'ChromeOS'],
]);

/** Other names that people use, by the name in reports. */
const otherOsNames: Readonly<Record<string, readonly string[]>> = {
  macOS: ['Mac', 'Macintosh', 'Mac OS X', 'macOS X', 'OS X', 'OSX'],
  iOS: ['iPhone', 'iPhone OS', 'iPad', 'iPadOS', 'iPod'],
  Windows: ['Win', 'Windows NT', 'Windows 7', 'Windows 8', 'Windows 10', 'Windows 11'],
  ChromeOS: ['CrOS', 'Chromebook'],
};

const otherBrowserNames: Readonly<Record<string, readonly string[]>> = {
  Chrome: ['Google Chrome', 'Mobile Chrome', 'Chrome Mobile'],
  Edge: ['Microsoft Edge', 'MS Edge', 'Edg'],
  Firefox: ['Mozilla Firefox', 'Mobile Firefox', 'Firefox Mobile'],
  'Internet Explorer': ['MSIE'],
  Safari: ['Apple Safari', 'Safari Mobile'],
  'Samsung Internet': ['Samsung Browser', 'SamsungBrowser'],
};

const browsers = misnomers(browserNames, otherBrowserNames);
const systems = misnomers(osNames, otherOsNames);

// Names of which no other reported name differs in one letter only. The parser knows hundreds of rare ones.
const distinctBrowsers = ['Chrome', 'Firefox', 'Safari', 'Opera', 'Samsung Internet', 'Vivaldi'];
const distinctSystems = ['Windows', 'macOS', 'Android', 'Linux', 'ChromeOS', 'HarmonyOS'];

/**
 * Returns the name in reports of the browser that this is another name of, or a common one that it misspells
 * by one letter; undefined for all others.
 */
export function reportedBrowser(name: string): string | undefined {
  return browsers.get(name.toLowerCase()) ?? findMisspelt(name, distinctBrowsers);
}

/** As `reportedBrowser`, for operating systems. */
export function reportedOs(name: string): string | undefined {
  return systems.get(name.toLowerCase()) ?? findMisspelt(name, distinctSystems);
}

function findMisspelt(name: string, reported: readonly string[]): string | undefined {
  return reported.find((each) => differsByOneLetter(name.toLowerCase(), each.toLowerCase()));
}

/** Returns whether one letter was added, left out, replaced or swapped with the next. */
function differsByOneLetter(one: string, other: string): boolean {
  if (one === other || Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  const [rest, otherRest] = [one.slice(start), other.slice(start)];
  const isSwapped = rest[0] === otherRest[1] && rest[1] === otherRest[0];
  return (
    rest.slice(1) === otherRest ||
    rest === otherRest.slice(1) ||
    rest.slice(1) === otherRest.slice(1) ||
    (isSwapped && rest.slice(2) === otherRest.slice(2))
  );
}

function misnomers(
  names: ReadonlyMap<string, string>,
  others: Readonly<Record<string, readonly string[]>>,
): ReadonlyMap<string, string> {
  const pairs = [
    ...names,
    ...Object.entries(others).flatMap(([reported, list]) => list.map((each) => [each, reported])),
  ] as [string, string][];
  return new Map(
    pairs
      .map(([name, reported]) => [name.toLowerCase(), reported] as const)
      .filter(([name, reported]) => name !== reported.toLowerCase()),
  );
}
