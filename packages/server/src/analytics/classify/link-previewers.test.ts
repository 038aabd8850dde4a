import crawlers from 'crawler-user-agents';
import { describe, expect, it } from 'vitest';
import { isLinkPreviewer } from './link-previewers.js';

/** Entries with the tag `social-preview` that show nobody what a link is about, each with the reason. */
const otherPrograms = new Map([
  ['AddThis', 'counts shares'],
  ['Jetslide', 'collects news'],
  ['newsharecounts', 'counts shares'],
  ['NING\\/', 'a host of communities, which reads feeds'],
  ['Hatena', 'several programs, most of which read feeds and icons'],
  ['TikTokSpider', 'collects pages'],
  ['AASA-Bot', "reads a domain's document for apps"],
  ['bluesky-domain-status-classifier', 'classifies domains'],
  ['Goodreads', 'reads pages of books'],
  ['MetaIAB Facebook', "Facebook's own browser, which people use"],
  ['Supabase Paired Crawler', 'crawls documentation'],
  ['FastmailUA', 'loads images of mails'],
  ['github-camo', 'loads images of documents'],
  ['dbot\\)', 'a search engine'],
  ['Shortwave Image Fetcher', 'loads images of mails'],
  ['TwilioProxy\\/', 'loads images of messages'],
]);

// The types of the package lack the tags.
const entries: readonly { pattern: string; tags?: string[]; instances: string[] }[] = crawlers;
const listed = entries.filter(({ tags }) => tags?.includes('social-preview'));

describe('link previewers', () => {
  const previewers = listed.filter(({ pattern }) => !otherPrograms.has(pattern));

  it('are those of crawler-user-agents, with few exceptions', () => {
    expect(listed.length - previewers.length).toBe(otherPrograms.size);
    expect(previewers.length).toBeGreaterThan(60);
    const agents = previewers.flatMap(({ instances }) => instances);
    expect(agents.filter((agent) => !isLinkPreviewer(agent))).toEqual([]);
  });

  it.each([
    // iMessage.
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0',
    'Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)',
    'Mastodon/4.3.0 (http.rb/5.2.0; +https://mastodon.example/)',
    'Mozilla/5.0 (compatible; Shorty-LinkPreview/1.0.0)',
    'WhatsApp/2.23.20.0',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/56.0.2924.87 Safari/537.36 Google-PageRenderer Google (+https://developers.google.com/+/web/snippet/)',
  ])('%s', (agent) => {
    expect(isLinkPreviewer(agent)).toBe(true);
  });
});
