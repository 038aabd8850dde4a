// What Specmatic cannot guess: ids of records that exist, and bodies that their organization may send.

/** Operations that it does not call, each with the reason. */
export const excluded = {};

/**
 * One good request for each operation that has parameters or a body, as Specmatic's example files;
 * records are made for them first.
 */
export async function makeExamples(origin, { clientId, clientSecret }) {
  const { accessToken } = await post(origin, '/api/v1/auth/token', { clientId, clientSecret });
  const create = (path, body) => post(origin, `/api/v1${path}`, body, accessToken);
  const newUrl = (more = {}) => create('/urls', { targetUrl: 'https://example.com/', ...more });
  const newQr = (more = {}) => create('/qr', { data: 'a text', ...more });
  // A port that refuses at once: nothing is sent to anybody.
  const receiver = { url: 'http://127.0.0.1:65533/hook', events: ['url.created'] };
  const newWebhook = () => create('/webhooks', receiver);

  const url = await newUrl();
  const password = 'open sesame';
  const locked = await newUrl({ isPasswordProtected: true, password });
  const qr = await newQr({ urlId: url.id });
  const webhook = await newWebhook();
  const delivery = await create(`/webhooks/${webhook.id}/test`, {});
  const json = { 'Content-Type': 'application/json' };
  const ids = { id: url.id };

  const requests = {
    createToken: { body: { clientId, clientSecret } },
    createUrl: { body: { targetUrl: 'https://example.com/spring', tags: ['launch'] } },
    listUrls: {},
    bulkCreateUrls: { body: { urls: [{ targetUrl: 'https://example.com/' }] } },
    bulkUpdateUrls: { body: { updates: [{ id: url.id, title: 'Spring' }] } },
    bulkDeleteUrls: { body: { ids: [(await newUrl()).id] } },
    getUrl: { params: ids },
    updateUrl: { params: ids, body: { title: 'Summer' } },
    deleteUrl: { params: { id: (await newUrl()).id } },
    createQr: { body: { data: 'another text', size: 400 } },
    listUrlQrs: { params: ids },
    getQr: { params: { id: qr.id } },
    updateQr: { params: { id: qr.id }, body: { size: 300 } },
    deleteQr: { params: { id: (await newQr()).id } },
    getUrlClicks: { params: ids },
    getQrScans: { params: { id: qr.id } },
    createWebhook: { body: receiver },
    getWebhook: { params: { id: webhook.id } },
    updateWebhook: { params: { id: webhook.id }, body: { events: ['qr.created'] } },
    deleteWebhook: { params: { id: (await newWebhook()).id } },
    testWebhook: { params: { id: webhook.id }, body: { type: 'qr.created' } },
    rotateWebhookSecret: { params: { id: webhook.id } },
    listDeliveries: { params: { id: webhook.id } },
    getDelivery: { params: { id: webhook.id, deliveryId: delivery.id } },
    replayDelivery: { params: { id: webhook.id, deliveryId: delivery.id } },
    getDocsFile: { params: { file: 'docs.css' } },
    downloadQr: { params: { id: qr.id } },
    previewQr: { params: { id: qr.id } },
    followLink: { params: { code: locked.shortCode } },
    unlockLink: { params: { code: locked.shortCode }, body: { password } },
  };
  return { accessToken, requests, json };
}

async function post(origin, path, body, token) {
  const response = await fetch(origin + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`POST ${path}: ${JSON.stringify(answer)}`);
  return answer.data;
}
