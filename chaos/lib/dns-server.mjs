import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import dnsPacket from 'dns-packet';

/** TXT records that are hard on whoever reads them; each name gets one by its first number. */
const records = [
  () => Array(250).fill(Buffer.alloc(255, ' ')),
  () => Array(250).fill(Buffer.from(`"${'\t '.repeat(120)}"`)),
  () => [Buffer.from(Array.from({ length: 255 }, (_, byte) => byte))],
  () => Array(2_000).fill(Buffer.from('')),
  () => [Buffer.from('shorty-verification=wrong')],
];

/** A DNS server on both transports that truncates over UDP, so that every answer comes in full. */
export async function startDnsServer(port) {
  const respond = (query, isTruncated) => {
    const [question] = query.questions;
    const index = Number(/\d+/.exec(question.name)?.[0] ?? 0) % records.length;
    return dnsPacket.encode({
      type: 'response',
      id: query.id,
      flags: dnsPacket.RECURSION_DESIRED | (isTruncated ? dnsPacket.TRUNCATED_RESPONSE : 0),
      questions: query.questions,
      answers: isTruncated
        ? []
        : [{ type: 'TXT', name: question.name, ttl: 0, data: records[index]() }],
    });
  };
  const udp = createSocket('udp4', (message, { port: from, address }) => {
    udp.send(respond(dnsPacket.decode(message), true), from, address);
  });
  const tcp = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', (data) => {
      const answer = respond(dnsPacket.decode(data.subarray(2)), false);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(answer.length);
      socket.end(Buffer.concat([length, answer]));
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
