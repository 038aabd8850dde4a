/** An app that opens links in its own browser, with a user agent that names the app. */
export interface KnownApp {
  readonly name: string;
  readonly token: RegExp;
  /**
   * `built-in`: the app also reads QR codes. `dedicated`: the app only reads QR codes, so each of its
   * visits is a scan.
   */
  readonly scanner: 'none' | 'built-in' | 'dedicated';
}

// The first match wins. An app whose user agent also contains another app's token precedes that app.
export const knownApps: readonly KnownApp[] = [
  { name: 'Kaspersky QR Scanner', token: /Kaspersky[ _-]?QR[ _-]?Scanner/i, scanner: 'dedicated' },
  {
    name: 'Trend Micro QR Scanner',
    token: /Trend ?Micro[ _-]?QR[ _-]?Scanner/i,
    scanner: 'dedicated',
  },
  { name: 'QRbot', token: /\bQRbot\b/i, scanner: 'dedicated' },
  { name: 'QR Droid', token: /\bQR[ _-]?Droid/i, scanner: 'dedicated' },
  { name: 'ZXing Barcode Scanner', token: /\bZXing\b/i, scanner: 'dedicated' },
  {
    name: 'QR scanner',
    token: /\b(?:QR(?:[ _-]?codes?)?|barcode)(?:[ _-]?(?:&|and)[ _-]?barcode)?[ _-]?(?:scan|read)/i,
    scanner: 'dedicated',
  },
  { name: 'WeCom', token: /\bwxwork\/[\d.]+/i, scanner: 'built-in' },
  { name: 'WeChat', token: /\bMicroMessenger\/[\d.]+/i, scanner: 'built-in' },
  { name: 'Alipay', token: /\bAliApp\(AP\/|\bAlipayClient\b/, scanner: 'built-in' },
  { name: 'Taobao', token: /\bAliApp\(TB\//, scanner: 'built-in' },
  { name: 'DingTalk', token: /\bDingTalk\//i, scanner: 'built-in' },
  { name: 'QQ', token: /\bQQ\/[\d.]+/, scanner: 'built-in' },
  { name: 'LINE', token: /\bLine\/[\d.]+(?:\/IAB)?/i, scanner: 'built-in' },
  { name: 'KakaoTalk', token: /\bKAKAOTALK\b/i, scanner: 'built-in' },
  { name: 'Naver', token: /\bNAVER\(inapp/i, scanner: 'built-in' },
  { name: 'Snapchat', token: /\bSnapchat\b(?:\/[\d.]+)?/i, scanner: 'built-in' },
  { name: 'Zalo', token: /\bZalo\b/i, scanner: 'built-in' },
  { name: 'Baidu', token: /\bbaiduboxapp\b/i, scanner: 'built-in' },
  { name: 'Google app', token: /\bGSA\/[\d.]+/, scanner: 'built-in' },
  {
    name: 'Messenger',
    token: /\bFBAN\/Messenger\w*|\bFB_IAB\/(?:MESSENGER|Orca\w*)|\bMessengerLite/i,
    scanner: 'none',
  },
  { name: 'Instagram', token: /\bInstagram[ /][\d.]+|\bMetaIAB Instagram\b/i, scanner: 'none' },
  { name: 'Threads', token: /\bBarcelona [\d.]+|\bMetaIAB Threads\b/, scanner: 'none' },
  {
    name: 'Facebook',
    token: /\bFBA[NV]\/[^;\]]*|\bFB_IAB\/[^;\]]*|\bFBIOS\b|\bMetaIAB Facebook\b/,
    scanner: 'none',
  },
  {
    name: 'TikTok',
    token: /\bmusical_ly[\w.]*|\btrill_[\w.]*|\bBytedanceWebview\/\w*|\bTikTok\b/i,
    scanner: 'none',
  },
  { name: 'Pinterest', token: /\[Pinterest\/\w+\]|\bPinterest for \w+/i, scanner: 'none' },
  { name: 'LinkedIn', token: /\bLinkedInApp\b/i, scanner: 'none' },
  { name: 'X', token: /\bTwitter for \w+|\bTwitterAndroid\b/i, scanner: 'none' },
  { name: 'Telegram', token: /\bTelegram-(?:Android|iOS)\/[\d.]+/i, scanner: 'none' },
  { name: 'Viber', token: /\bViber\/[\d.]+/i, scanner: 'none' },
  { name: 'Weibo', token: /\b__weibo__\w*|\bWeibo \(/i, scanner: 'none' },
  { name: 'VK', token: /\bVKAndroidApp\b|\bVKiOSApp\b|\bcom\.vk\.\w+/i, scanner: 'none' },
];
