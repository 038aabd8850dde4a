// Answers every request with a recorded response of `GET /urls/{id}`, on bare `node:http`: a benchmark of
// a client then measures the client.
import { createServer } from 'node:http';

const body = Buffer.from(
  '{"success":true,"data":{"id":"42","shortCode":"aB3xY9z","targetUrl":"https://example.com/bench","customSlug":null,"shortUrl":"http://localhost:3000/aB3xY9z","organizationId":"0198c0de-0000-7000-8000-000000000001","domainId":null,"title":null,"description":null,"tags":[],"category":null,"isActive":true,"expiresAt":null,"isPasswordProtected":false,"utmSource":null,"utmMedium":null,"utmCampaign":null,"utmTerm":null,"utmContent":null,"customUtmParams":null,"clickCount":0,"lastClickAt":null,"clickThresholds":null,"createdAt":"2026-11-23T08:00:00.000Z","updatedAt":"2026-11-23T08:00:00.000Z"}}',
);
const headers = {
  'content-type': 'application/json; charset=utf-8',
  'content-length': body.length,
  'x-request-id': '0198c0de-0000-7000-8000-000000000002',
  etag: '"1795420800000"',
  'cache-control': 'no-store',
};

createServer((request, response) => {
  request.resume();
  response.writeHead(200, headers).end(body);
}).listen(Number(process.env.PORT), '127.0.0.1');
