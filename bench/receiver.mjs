// Receives webhooks: reads each body and responds with 204. At /dead it never responds.
import { createServer } from 'node:http';

createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    if (request.url !== '/dead') response.writeHead(204).end();
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
