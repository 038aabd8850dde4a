import { parseCampaign } from './parse-campaign.js';

// Parameters that ad networks add to the target of an ad: those of Google, Microsoft, TikTok, X,
// LinkedIn, Pinterest, Reddit, Snapchat, Quora, Nextdoor, VK, Yandex, Yahoo, Amazon, Taboola, Outbrain,
// Teads, Criteo, Baidu and Adobe. Others are not among them because they are also in the targets of
// unpaid links: Meta adds `fbclid` and `igshid` to every outgoing link, and Google and Yandex add
// `srsltid` and `ysclid` to results of a search.
const clickId =
  /(?:^|[?&])(?:gclid|gbraid|wbraid|dclid|gclsrc|gad_source|gad_campaignid|msclkid|ttclid|twclid|li_fat_id|epik|rdt_cid|sccid|qclid|ndclid|rb_clickid|yclid|ymclid|vmcid|maas|awclid|tblci|dicbo|obclid|auctid|cto_pld|bd_vid|s_kwcid|ef_id)=[^&#]/i;
// The values that Google Analytics counts as paid.
const adMedium = /^(?:cp[acmv]|ppc|paid.*|retargeting|display|banner)$/i;

/** Returns whether the query of a visit or of its referrer is that of a click on an ad. */
export function isAdClick(query: string, campaign = parseCampaign(query)): boolean {
  return (
    query !== '' &&
    (adMedium.test(campaign?.utmMedium ?? '') || clickId.test(query.replace(/%5f/gi, '_')))
  );
}
