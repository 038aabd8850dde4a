// What messengers, networks and mail programs send ahead of, or instead of, the person who was sent
// a link. Some name themselves only in the middle of a browser's agent, and iMessage calls itself
// Facebook's and Twitter's at once.
const tokens =
  /facebookexternalhit|facebookcatalog|facebot\b|meta-external|twitterbot|telegrambot|discordbot|slackbot|slack-imgproxy|linkedinbot|redditbot|pinterestbot|pinterest\/0\.|skypeuripreview|skype-url-preview|snap url preview|kakaotalk-scrap|line-poker|vkshare|okbot\/|iframely|embedly|cardyb|mattermost-bot|rocket\.chat|zulipurlpreview|synapse \(bot|microsoftpreview|bingpreview|microsoft office existence|ms-office|msoffice \d|google-?imageproxy|yahoomailproxy|teams-?bot|viberbot|whatsapp-?link|applebot|quora link preview|xing-contenttabreceiver|\bmastodon\/|\bpleroma\b|\bmisskey\/|\bakkoma\b/i;

// Whole agents: the app that shows the preview fetches it itself. Signal says it is WhatsApp.
const wholeAgents = /^(?:whatsapp|viber|signal|telegram|line|skype|zoom|threema|wire)\/[\w.]+/i;

// Discord's media proxy. A real Firefox stays at macOS 10.15, and version 38 on 10.10 is of 2015.
const disguises =
  /^Mozilla\/5\.0 \(Macintosh; Intel Mac OS X (?:11\.6; rv:92\.0|10\.10; rv:38\.0)\) Gecko\/20100101 Firefox\/(?:92|38)\.0$/;

/** Whether the agent is one that fetches links to show what is behind them. */
export function isLinkPreviewer(agent: string): boolean {
  return tokens.test(agent) || wholeAgents.test(agent) || disguises.test(agent);
}
