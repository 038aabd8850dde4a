// The ceiling of redirects: node:http sends a 307 with a target from a Map. BUSY_THREADS is the number of
// threads that compute meanwhile, with the niceness of a server's threads of low priority.
import { createServer } from 'node:http';
import { Worker } from 'node:worker_threads';

const compute = "require('node:os').setPriority(10); for (;;) Math.random();";
for (let thread = 0; thread < Number(process.env.BUSY_THREADS ?? 0); thread += 1) {
  new Worker(compute, { eval: true });
}

const targets = new Map();
for (let index = 0; index < 10_000; index += 1) {
  targets.set(`/${codeOf(index)}`, `https://example.com/landing/${index}?ref=bench`);
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

function codeOf(index) {
  return `bench-${String(index).padStart(6, '0')}`;
}
