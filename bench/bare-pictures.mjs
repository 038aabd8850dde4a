// The ceiling of downloads: node:http, a Map of bytes that are at hand, and nothing else. The file
// that PICTURES names is JSON: pictures in base64, by their paths.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const pictures = new Map(
  Object.entries(JSON.parse(readFileSync(process.env.PICTURES, 'utf8'))).map(([path, base64]) => [
    path,
    Buffer.from(base64, 'base64'),
  ]),
);

createServer((request, response) => {
  const picture = pictures.get(request.url);
  if (picture === undefined) {
    response.writeHead(404, { 'Content-Length': 0 });
    response.end();
    return;
  }
  response.writeHead(200, { 'Content-Type': 'image/png', 'Content-Length': picture.length });
  response.end(picture);
}).listen({ port: Number(process.env.PORT), host: '127.0.0.1', backlog: 4096 });
