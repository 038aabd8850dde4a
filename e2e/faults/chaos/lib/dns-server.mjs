import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import dnsPacket from 'dns-packet';
import { mutateBytes, seededRandom } from './random.mjs';

/** Names with this label get damaged responses, and one query in fifty gets none. */
export const damagedLabel = 'damaged';

/** TXT records that are hard to parse. The first number in a name selects its record. */
const records = [
  () => Array(250).fill(Buffer.alloc(255, ' ')),
  () => Array(250).fill(Buffer.from(`"${'\t '.repeat(120)}"`)),
  () => [Buffer.from(Array.from({ length: 255 }, (_, byte) => byte))],
  () => Array(2_000).fill(Buffer.from('')),
  () => [Buffer.from('shorty-verification=wrong')],
];

/** Starts a DNS server. It truncates UDP responses, so that the client retries over TCP. */
export async function startDnsServer(port, seed) {
  const random = seededRandom(seed);
  const respond = (query, isTruncated) => {
    const [question] = query.questions;
    const index = Number(/\d+/.exec(question.name)?.[0] ?? 0) % records.length;
    const isDamaged = question.name.includes(damagedLabel);
    if (isDamaged && random.chance(0.02)) return undefined;
    const bytes = dnsPacket.encode({
      type: 'response',
      id: query.id,
      flags: dnsPacket.RECURSION_DESIRED | (isTruncated ? dnsPacket.TRUNCATED_RESPONSE : 0),
      questions: query.questions,
      answers: isTruncated
        ? []
        : [{ type: 'TXT', name: question.name, ttl: 0, data: records[index]() }],
    });
    return isDamaged && random.chance(0.7) ? mutateBytes(random, bytes) : bytes;
  };
  const udp = createSocket('udp4', (message, { port: from, address }) => {
    const response = respond(dnsPacket.decode(message), true);
    if (response) udp.send(response, from, address);
  });
  const tcp = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (data) => {
      const response = respond(dnsPacket.decode(data.subarray(2)), false);
      if (!response) return;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(response.length);
      socket.end(Buffer.concat([length, response]));
    });
  });
  await Promise.all([
    new Promise((resolve) => udp.bind(port, '127.0.0.1', resolve)),
    new Promise((resolve) => tcp.listen(port, '127.0.0.1', resolve)),
  ]);
  return {
    stop() {
      udp.close();
      tcp.close();
    },
  };
}
