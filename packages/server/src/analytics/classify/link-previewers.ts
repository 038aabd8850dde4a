// Programs of messengers, social networks and mail that fetch a link to preview it. Some have their
// token in the middle of a browser's user agent. iMessage sends Facebook's and Twitter's tokens.
const tokens =
  /facebookexternalhit|facebookcatalog|facebot\b|meta-external|twitterbot|telegrambot|discordbot|slackbot|slack-imgproxy|linkedinbot|redditbot|pinterestbot|pinterest\/0\.|skypeuripreview|skype-url-preview|snap url preview|kakaotalk-scrap|line-poker|vkshare|okbot\/|iframely|embedly|cardyb|mattermost-bot|rocket\.chat|zulipurlpreview|synapse \(bot|microsoftpreview|bingpreview|microsoft office existence|ms-office|msoffice \d|google-?imageproxy|yahoomailproxy|teams-?bot|viberbot|whatsapp-?link|applebot|quora link preview|xing-contenttabreceiver|\bmastodon\/|\bpleroma\b|\bmisskey\/|\bakkoma\b/i;

// User agents of apps that fetch the preview themselves. Signal sends WhatsApp's user agent.
const wholeAgents = /^(?:whatsapp|viber|signal|telegram|line|skype|zoom|threema|wire)\/[\w.]+/i;

// Discord's media proxy sends these Firefox user agents. No current Firefox does: it reports macOS
// 10.15, and version 38 is from 2015.
const discordProxies =
  /^Mozilla\/5\.0 \(Macintosh; Intel Mac OS X (?:11\.6; rv:92\.0|10\.10; rv:38\.0)\) Gecko\/20100101 Firefox\/(?:92|38)\.0$/;

export function isLinkPreviewer(agent: string): boolean {
  return tokens.test(agent) || wholeAgents.test(agent) || discordProxies.test(agent);
}
