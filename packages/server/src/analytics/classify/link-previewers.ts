// Programs of messengers, social networks and mail that fetch a link to preview it. Some have their
// token in the middle of a browser's user agent. iMessage sends Facebook's and Twitter's tokens.
const tokens =
  /facebookexternalhit|facebookcatalog|facebot\b|meta-external|meta-webindexer|twitterbot|tweetmemebot|telegrambot|discordbot|slackbot|slack-imgproxy|linkedinbot|redditbot|pinterestbot|pinterest\/0\.|ur[il] ?preview|skype-url-preview|kakaotalk-scrap|line-poker|vkshare|vkrobot|okbot\/|odklbot|iframely|embedly|cardyb|blueskypreview|mattermost-bot|rocket\.chat|synapse \(bot|microsoftpreview|bingpreview|microsoft office existence|ms-office|msoffice \d|google-?imageproxy|google-pagerenderer|developers\.google\.com\/\+\/web\/snippet|google web preview|yahoomailproxy|teams-?bot|viberbot|whatsapp-?link|applebot|xing-contenttabreceiver|\bmastodon\/|\bpleroma\b|\bmisskey\/|\bakkoma\b|\blemmy\/|^friendica\b/i;

// Those that call themselves so, and those of forums, notes and collections of links.
const otherTokens =
  /link[ -]?preview|unfurl|richlink|metatagfetcher|\bonebox\b|summalybot|keybasebot|groupmebot|dingtalkbot|quora-bot|xing bot|steamchaturllookup|opengraph\.io\/|flipboardproxy|everyonesocialbot|loomlybot|codabot|linespider|gg peekbot|listgembot|dazzle bluesky/i;

// User agents of apps that fetch the preview themselves. Signal sends WhatsApp's user agent.
const wholeAgents =
  /^(?:(?:whatsapp|viber|signal|telegram|line|skype|zoom|threema|wire|notion|tumblr)\/[\w.]+|bluesky\/|(?:whatsapp|viber)$)/i;

// Discord's media proxy sends these Firefox user agents. No current Firefox does: it reports macOS
// 10.15, and version 38 is from 2015.
const discordProxies =
  /^Mozilla\/5\.0 \(Macintosh; Intel Mac OS X (?:11\.6; rv:92\.0|10\.10; rv:38\.0)\) Gecko\/20100101 Firefox\/(?:92|38)\.0$/;

/** Returns whether a user agent is that of a program which shows what a link is about. */
export function isLinkPreviewer(agent: string): boolean {
  return (
    tokens.test(agent) ||
    otherTokens.test(agent) ||
    wholeAgents.test(agent) ||
    discordProxies.test(agent)
  );
}
