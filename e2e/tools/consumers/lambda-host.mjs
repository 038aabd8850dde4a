// Calls a handler of AWS Lambda as a function URL does. A body is in base64 for requests to /base64.
import { createServer } from 'node:http';

const { handler } = await import(`${process.cwd()}/lambda.mjs`);

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const isBase64Encoded = request.url === '/base64';
  const body = Buffer.concat(chunks).toString(isBase64Encoded ? 'base64' : 'utf8');
  const result = await handler({ headers: request.headers, body, isBase64Encoded });
  response.writeHead(result.statusCode).end(result.body);
}).listen(3000);
