// Request headers of typical visitors: browsers, phones and a crawler.

const desktop = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%d.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.%d Safari/605.1.15',
  'Mozilla/5.0 (X11; Linux x86_64; rv:%d.0) Gecko/20100101 Firefox/%d.0',
];
const mobile = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_%d like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 14; Pixel %d) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36',
];
const bots = ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'];

const agents = [...desktop, ...mobile].flatMap((form) =>
  Array.from({ length: 20 }, (_, index) => form.replaceAll('%d', String(index + 1))),
);

const referrers = [
  undefined,
  undefined,
  'https://www.google.com/',
  'https://t.co/abc123',
  'https://news.example.com/2030/11/an-article',
];

/** Returns the headers of the visitor with a number. */
export function headersOf(visitor) {
  const agent = visitor % 50 === 49 ? bots[0] : agents[visitor % agents.length];
  const referer = referrers[visitor % referrers.length];
  return {
    'User-Agent': agent,
    Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'Accept-Language': 'en-US,en;q=0.5',
    'Sec-Fetch-Site': referer ? 'cross-site' : 'none',
    ...(referer && { Referer: referer }),
  };
}
