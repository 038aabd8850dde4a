// The ceiling of redirects: node:http sends a 307 with a target from a Map.
import { createServer } from 'node:http';

const targets = new Map();
for (let index = 0; index < 10_000; index += 1) {
  targets.set(`/bench-${index}`, `https://example.com/landing/${index}?ref=bench`);
}

createServer((request, response) => {
  const target = targets.get(request.url);
  if (target === undefined) {
    response.writeHead(404, { 'Content-Length': 0 });
    response.end();
    return;
  }
  response.writeHead(307, { Location: target, 'Cache-Control': 'no-store', 'Content-Length': 0 });
  response.end();
}).listen({ port: Number(process.env.PORT), host: '127.0.0.1', backlog: 4096 });
