// The ceiling of downloads: node:http sends images from a Map. The environment variable IMAGES is the
// path of a JSON file that maps URL paths to images in base64.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const images = new Map(
  Object.entries(JSON.parse(readFileSync(process.env.IMAGES, 'utf8'))).map(([path, base64]) => [
    path,
    Buffer.from(base64, 'base64'),
  ]),
);

createServer((request, response) => {
  const image = images.get(request.url);
  if (image === undefined) {
    response.writeHead(404, { 'Content-Length': 0 });
    response.end();
    return;
  }
  response.writeHead(200, { 'Content-Type': 'image/png', 'Content-Length': image.length });
  response.end(image);
}).listen({ port: Number(process.env.PORT), host: '127.0.0.1', backlog: 4096 });
