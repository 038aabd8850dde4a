// Calls a function of Azure's programming model, version 4, as the worker does.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

const azure = createRequire(`${process.cwd()}/azure.mjs`)('@azure/functions');
let handler;
azure.app.http = (_name, options) => {
  handler = options.handler;
};
await import(`${process.cwd()}/azure.mjs`);

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method, headers } = request;
  const body = chunks.length > 0 ? { bytes: Buffer.concat(chunks) } : undefined;
  const url = `http://localhost${request.url}`;
  const given = new azure.HttpRequest({ method, url, headers, body });
  const { status } = await handler(given, new azure.InvocationContext());
  response.writeHead(status).end();
}).listen(3000);
