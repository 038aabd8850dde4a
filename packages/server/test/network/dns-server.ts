import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { type Answer, decode, encode, type Packet } from 'dns-packet';
import { onTestFinished } from 'vitest';

/** The response for a name. The server does not respond to other names. */
export type DnsAnswer =
  | { readonly rcode: 'NXDOMAIN' | 'SERVFAIL' | 'REFUSED' }
  /** TXT records, each as its strings. */
  | { readonly txt: readonly (readonly string[])[] }
  /** A and AAAA records. */
  | { readonly addresses: readonly string[] };

const rcodes = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;
const recursion = 0x0180;

export type DnsServer = Awaited<ReturnType<typeof dnsServer>>;

/** Starts a real DNS server on UDP and stops it when the test has finished. */
export async function dnsServer() {
  const answers = new Map<string, DnsAnswer>();
  const asked: string[] = [];
  // The default buffer is too small for hundreds of queries at once on a busy machine.
  const socket = createSocket({ type: 'udp4', recvBufferSize: 2 * 1024 * 1024 });
  socket.on('message', (message: Buffer, from: RemoteInfo) => {
    const query = decode(message);
    const name = query.questions?.[0]?.name.toLowerCase() ?? '';
    asked.push(name);
    const answer = answers.get(name);
    if (answer) socket.send(toBytes(query, name, answer), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => {
    socket.close();
  });
  return {
    /** In the form of SHORTY_DNS_SERVERS. */
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    set(name: string, answer: DnsAnswer) {
      answers.set(name, answer);
    },
  };
}

function toBytes({ id, questions }: Packet, name: string, answer: DnsAnswer): Uint8Array {
  const rcode = rcodes['rcode' in answer ? answer.rcode : 'NOERROR'];
  return encode({
    type: 'response',
    ...(id !== undefined && { id }),
    ...(questions && { questions }),
    flags: recursion | rcode,
    answers: recordsOf(name, questions?.[0]?.type, answer),
  });
}

function recordsOf(name: string, type: string | undefined, answer: DnsAnswer): Answer[] {
  const ttl = 300;
  if ('txt' in answer) {
    return answer.txt.map((strings) => ({ type: 'TXT', name, ttl, data: [...strings] }));
  }
  if (!('addresses' in answer) || (type !== 'A' && type !== 'AAAA')) return [];
  const version = type === 'A' ? 4 : 6;
  return answer.addresses
    .filter((address) => isIP(address) === version)
    .map((data) => ({ type, name, ttl, data }));
}
