// Generates the visits of a large installation: a Zipf distribution over the links, in time order,
// the same in every run.

/** Returns a seeded generator of numbers from 0 to 1 (the constants are from Numerical Recipes). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

// With this exponent, the most visited link has a tenth of all visits.
const skew = 1.1;

/** Returns a function that chooses a link. Link 1 is the most visited. */
function zipf(links, random) {
  const [total, exponent] = [(links + 1) ** (1 - skew) - 1, 1 / (1 - skew)];
  return () => Math.floor((1 + random() * total) ** exponent);
}

const countries = 'US DE IN BR GB FR JP NL PL ES IT CA MX SE'.split(' ');
const browsers = 'Chrome, Safari, Firefox, Edge, Samsung Internet, Instagram, Facebook'.split(', ');
const systems = ['Windows', 'iOS', 'Android', 'macOS', 'Linux'];
const devices = ['desktop', 'mobile', 'mobile', 'desktop', 'desktop'];
const referrers = [
  ['direct', '(direct)'],
  ['direct', '(direct)'],
  ['search', 'google.com'],
  ['social', 'x.com'],
  ['social', 'facebook.com'],
  ['email', 'mail.google.com'],
  ['ai', 'chatgpt.com'],
  ...Array.from({ length: 40 }, (_, index) => ['other', `news-${index}.example.com`]),
];

/** Yields `count` visits between two instants in time order. */
export function* makeVisits({ count, links, from, until, seed = 7 }) {
  const random = randomNumbers(seed);
  const pickLink = zipf(links, random);
  const pick = (list) => list[Math.floor(random() * random() * list.length)];
  for (let made = 0; made < count; made += 1) {
    const urlId = pickLink();
    // A link has more people than visits, so most visit it once, and some share an address.
    const person = Math.floor(random() * Math.max(4, count / 3 / urlId ** 0.9));
    const system = Math.floor(random() * systems.length);
    const [referrerType, referrerDomain] = pick(referrers);
    const isBot = random() < 0.05;
    yield {
      urlId,
      visitedAt: Math.floor(from + ((until - from) * made) / count),
      isByCode: true,
      variant: null,
      facts: {
        kind: isBot ? 'bot' : 'human',
        reason: isBot ? 'isbot' : 'browser',
        country: pick(countries),
        deviceType: devices[system],
        browser: pick(browsers),
        os: systems[system],
        referrerDomain,
        referrerType,
        visitorKey: keyOf(person, 1),
        addressKey: keyOf(Math.floor(person / 1.3), 2),
        scannerApp: null,
        evidence: 16,
        region: null,
        city: null,
        language: null,
        campaign: null,
      },
    };
  }
}

/** Returns 16 hexadecimal digits that are distributed like the server's hashes. */
function keyOf(number, kind) {
  return hash(number * 2 + kind) + hash(number * 31 + kind * 977);
}

function hash(number) {
  let bits = number + 0x9e3779b9;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0).toString(16).padStart(8, '0');
}
