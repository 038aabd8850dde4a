import type { IncomingHttpHeaders } from 'node:http';
import { expect, it } from 'vitest';
import { classifyVisit } from './classify-visit.js';
import { parseAgent } from './parse-agent.js';

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36';
const crawler = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

it.each<[string, string, IncomingHttpHeaders, string, string, string]>([
  ['a person', 'GET', {}, chrome, 'human', 'browser'],
  ['a crawler', 'GET', {}, crawler, 'bot', 'isbot'],
  ['a HEAD', 'HEAD', {}, chrome, 'head', 'head-request'],
  ['Chrome ahead', 'GET', { 'sec-purpose': 'prefetch' }, chrome, 'prefetch', 'sec-purpose'],
  ['Safari ahead', 'GET', { 'x-purpose': 'preview' }, chrome, 'prefetch', 'x-purpose'],
  ['Firefox ahead', 'GET', { 'x-moz': 'prefetch' }, chrome, 'prefetch', 'x-moz'],
  ['another purpose', 'GET', { purpose: 'navigate' }, chrome, 'human', 'browser'],
  ['an image', 'GET', { 'sec-fetch-dest': 'image' }, chrome, 'bot', 'subresource'],
  ['a request of a script', 'GET', { 'sec-fetch-dest': 'empty' }, chrome, 'bot', 'subresource'],
  [
    'a link that is saved',
    'GET',
    { 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'navigate' },
    chrome,
    'human',
    'browser',
  ],
  [
    'an assistant that signs',
    'GET',
    { 'signature-agent': '"https://chatgpt.com"' },
    chrome,
    'bot',
    'signature-agent',
  ],
  [
    'a browser without a screen',
    'GET',
    { 'sec-ch-ua': '"HeadlessChrome";v="131", "Not_A Brand";v="24"' },
    chrome,
    'bot',
    'headless-hint',
  ],
])('classifyVisit %s', (_what, method, headers, agent, kind, reason) => {
  expect(classifyVisit(method, headers, parseAgent(agent))).toEqual({ kind, reason });
});
