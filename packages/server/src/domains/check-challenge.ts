import { truncateText } from '../contract/api-error.js';
import { DnsError } from '../network/dns-resolver.js';
import type { ResolveTxt } from '../ports.js';
import type { Domain } from './domain-repository.js';
import { challengeNameOf } from './hostname.js';

// The message shows enough of the existing records for their owner to recognise them.
const maxShownRecords = 3;
const maxShownLength = 80;

/** Looks up the TXT record of a domain. Returns null when it has the challenge, else an error message. */
export async function checkChallenge(
  resolveTxt: ResolveTxt,
  { hostname, challenge }: Pick<Domain, 'hostname' | 'challenge'>,
): Promise<string | null> {
  const name = challengeNameOf(hostname);
  let records: readonly string[] = [];
  try {
    records = await resolveTxt(name);
  } catch (error) {
    if (!(error instanceof DnsError)) throw error;
    if (!error.isMissing) {
      return `DNS did not answer for ${name} (${error.code}): try again, or check the name servers of ${hostname} and DNSSEC`;
    }
  }
  const wanted = JSON.stringify(challenge);
  if (records.length === 0) {
    return `There is no TXT record at ${name}: set it to ${wanted} and allow DNS some minutes`;
  }
  // Some DNS editors add spaces and quotes.
  if (records.some((text) => text.replaceAll('"', '').trim() === challenge)) return null;
  const shown = records.slice(0, maxShownRecords).map((text) => JSON.stringify(truncate(text)));
  const more = records.length - shown.length;
  const found = `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `The TXT record at ${name} is ${found}; it must be ${wanted}`;
}

function truncate(text: string): string {
  return text.length > maxShownLength ? `${truncateText(text, maxShownLength)}…` : text;
}
