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

/** Returns the name in reports of the browser that this is another name of; undefined for all others. */
export function reportedBrowser(name: string): string | undefined {
  return browsers.get(name.toLowerCase());
}

/** As `reportedBrowser`, for operating systems. */
export function reportedOs(name: string): string | undefined {
  return systems.get(name.toLowerCase());
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
