// A receiver of webhooks: reads each body to its end and answers 204, or nothing at /dead.
import { createServer } from 'node:http';

createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    if (request.url !== '/dead') response.writeHead(204).end();
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
