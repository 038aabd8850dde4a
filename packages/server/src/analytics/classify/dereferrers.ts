import { directReferrerDomain } from './referrer-types.js';

/**
 * Maps a host that outgoing links pass through to the host of the pages with these links. Services
 * that hide the page stand for no referrer.
 */
export const dereferrers: ReadonlyMap<string, string> = new Map([
  ['l.facebook.com', 'facebook.com'],
  ['lm.facebook.com', 'facebook.com'],
  ['l.instagram.com', 'instagram.com'],
  ['l.messenger.com', 'messenger.com'],
  ['l.threads.net', 'threads.net'],
  ['l.threads.com', 'threads.com'],
  ['l.workplace.com', 'workplace.com'],
  ['l.wl.co', 'whatsapp.com'],
  ['t.co', 'x.com'],
  ['out.reddit.com', 'reddit.com'],
  ['away.vk.com', 'vk.com'],
  ['away.vk.ru', 'vk.com'],
  ['lnkd.in', 'linkedin.com'],
  ['t.umblr.com', 'tumblr.com'],
  ['go.bsky.app', 'bsky.app'],
  ['t.cn', 'weibo.com'],
  ['slack-redir.net', 'slack.com'],
  ['link.zhihu.com', 'zhihu.com'],
  ['exit.sc', 'soundcloud.com'],
  ['disq.us', 'disqus.com'],
  ['redirect.disqus.com', 'disqus.com'],
  ['r.search.yahoo.com', 'search.yahoo.com'],
  ['deref-gmx.net', 'gmx.net'],
  ['deref-gmx.com', 'gmx.com'],
  ['deref-web.de', 'web.de'],
  ['deref-web-02.de', 'web.de'],
  ['deref-mail.com', 'mail.com'],
  ['href.li', directReferrerDomain],
  ['anonym.to', directReferrerDomain],
  ['anon.to', directReferrerDomain],
]);
