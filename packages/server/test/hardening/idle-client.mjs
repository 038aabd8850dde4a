// Opens `count` sockets, prints that, and keeps them open until its input ends. For each line of input,
// it prints how many sockets the server has closed.
// usage: node idle-client.mjs <port> <count>
import { connect } from 'node:net';

const [port, count] = process.argv.slice(2).map(Number);
const atOnce = 250;
let open = 0;
let closed = 0;

const openOne = () =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', resolve);
    socket.on('error', (error) => (socket.connecting ? reject(error) : undefined));
    socket.on('close', () => {
      closed += 1;
    });
  });

while (open < count) {
  const batch = Math.min(atOnce, count - open);
  await Promise.all(Array.from({ length: batch }, openOne));
  open += batch;
}
process.stdout.write(`open ${open}\n`);
process.stdin.on('data', () => process.stdout.write(`closed ${closed}\n`));
process.stdin.on('end', () => process.exit());
