import type { KnownApp } from './known-apps.js';

const phone = /^Mozilla\/\d.{0,20}\((?:iPhone|iPad|iPod|Linux|Android)/;

/** Returns whether a user agent is that of a browser on a phone or tablet, or of an app's browser there. */
export function isPhoneBrowser(agent: string): boolean {
  return phone.test(agent);
}

const tv =
  /\b(?:HbbTV|CE-HTML|Smart-?TV|Google ?TV|Android ?TV|Apple ?TV|BRAVIA|NetCast|Web0S|webOS\.TV|VIDAA|NETTV|NETRANGEMMH|CrKey|Chromecast|Roku|Viera|InettvBrowser|Large Screen|MiTV|MiBOX|DTV\b|OMI\/|Sky_STB|POV_TV|Aquos|BeyondTV)/i;
// Amazon's sticks and televisions have models such as AFTMM.
const fireTv = /; AFT[A-Z]/;

/** Returns whether a user agent is that of a television, a stick or a box. */
export function isTelevision(agent: string): boolean {
  return tv.test(agent) || fireTv.test(agent);
}

// The model follows the version of Android, and sometimes a language. `Build/` follows the model.
const androidModel =
  /(\bAndr[o0]id(?: [\w.-]+)?;(?: [a-z]{2}[-_][a-z]{2};)?) [^;()/]*?(?=\)|;| Build\/)/i;
const androidBuild = / Build\/[\w.-]+/;

// Standards and systems of televisions, with what they say in parentheses.
const tvTokens =
  /\b(?:HbbTV|VIDAA|CE-HTML|OMI|DeviceType|Google ?TV)(?:[/ ][\w.+-]+)?(?: ?\([^()]*\))?/gi;

// Values that apps add to the user agent of their browser.
const appValues = [
  // Facebook's list, such as [FBAN/FBIOS;FBDV/iPhone14,2;FBCR/carrier].
  /\[FB[^\][]*\]/g,
  // Instagram's list, such as (33/13; 480dpi; 1080x2340; maker; model).
  /\((?:\d\d\/[\d.]+|(?:iPhone|iPad)\d+,\d+);[^()]*\)/g,
  // WeChat's process.
  /\bProcess\/\w+/g,
  // The channel of Taobao and Lazada, such as 600000@taobao_android_9.10.1.
  /\bTTID\/\S+/g,
  // Sogou's browser and search app. The name of its crawler continues with `spider`.
  /\bSogou(?:MSE|Search|MobileBrowser)?(?:\/[\d.]+)?(?=[ ,]|$)(?! \w* ?spider)/g,
  // Apps that are named by an ordinary word which is also in names of crawlers.
  /\b(?!\w*(?:bot|crawl|spider|fetch|monitor))[a-z]*(?:news|search|discovery|tools|scan|radar|insight|library|download|feed)[a-z]*\/[\d.]+/gi,
];

/**
 * Removes names of devices and apps from a user agent, because isbot classifies some of them as
 * programs: phones are named Discovery, Spider 8 or M bot.
 */
export function withoutDevice(agent: string, app: KnownApp | undefined): string {
  let rest = agent;
  if (isPhoneBrowser(agent)) {
    rest = rest.replace(androidModel, '$1 device').replace(androidBuild, '');
    for (const value of appValues) rest = rest.replace(value, '');
    if (app) rest = rest.replace(app.token, '');
  }
  if (isTelevision(agent)) {
    // Without it, only the name of the standard would precede the browser.
    rest = rest.replace(/^HbbTV\//i, 'Mozilla/5.0 HbbTV/').replace(tvTokens, 'TV');
  }
  return rest;
}
