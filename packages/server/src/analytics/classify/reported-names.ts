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
