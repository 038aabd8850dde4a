// The visitors of the demo and of the pictures in the documentation.
const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15';
const safari = `${phone} (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1`;
const windows =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0';
const googlebot = 'Mozilla/5.0 (compatible; Googlebot/2.1)';
const slackbot = 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)';
const forum = 'https://news.ycombinator.com/';
/** Who scans the code, instead of visiting the slug. */
export const scan = 'a phone that has scanned the code';
/** The people: who they are, their agents, addresses and referrers. */
export const people = [
  ['Chrome on Windows', windows, '8.8.8.8'],
  ['Chrome on Windows, from a search', windows, '1.1.1.1', 'https://www.google.com/'],
  ['Edge on Windows', `${windows} Edg/126.0.0.0`, '193.0.6.139'],
  ['Firefox on Linux, from a forum', firefox, '200.160.2.3', forum],
  ['Safari on a phone, from a forum', safari, '202.12.29.1', forum],
  [scan, safari, '41.0.0.1'],
];
/** The programs, whose visits are no clicks. */
export const programs = [
  ['a crawler, which is no click', googlebot, '66.249.66.1'],
  ['a preview in a chat, which is no click', slackbot, '3.3.3.3'],
];
