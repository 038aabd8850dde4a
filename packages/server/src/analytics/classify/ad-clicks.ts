// Parameters that ad networks add to the target of an ad. Others are not among them because they are
// also in the targets of unpaid links: Meta adds `fbclid` and `igshid` to every outgoing link, and
// Google and Yandex add `srsltid` and `ysclid` to results of a search.
const parameters = [
  // Google
  'gclid',
  'gbraid',
  'wbraid',
  'dclid',
  'gclsrc',
  'gad_source',
  'gad_campaignid',
  // Microsoft
  'msclkid',
  // TikTok, X, LinkedIn, Pinterest, Reddit, Snapchat, Quora, Nextdoor, VK
  'ttclid',
  'twclid',
  'li_fat_id',
  'epik',
  'rdt_cid',
  'sccid',
  'qclid',
  'ndclid',
  'rb_clickid',
  // Yandex and Yahoo Japan, Yandex Market, Yahoo
  'yclid',
  'ymclid',
  'vmcid',
  // Amazon, Taboola, Outbrain, Teads, Criteo, Baidu
  'maas',
  'awclid',
  'tblci',
  'dicbo',
  'obclid',
  'auctid',
  'cto_pld',
  'bd_vid',
  // Adobe's tools that place ads in several networks
  's_kwcid',
  'ef_id',
];
// The values of `utm_medium` that Google Analytics counts as paid.
const media = '(?:cp[acmv]|ppc|paid[^&#]*|retargeting|display|banner)(?:[&#]|$)';
const adClick = new RegExp(
  `(?:^|[?&])(?:(?:${parameters.join('|')})=[^&#]|utm_medium=${media})`,
  'i',
);

/** Returns whether the query of a visit or of its referrer is that of a click on an ad. */
export function isAdClick(query: string): boolean {
  return query !== '' && adClick.test(query);
}
