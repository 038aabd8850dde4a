import { readFileSync } from 'node:fs';
import type { ReferrerType } from './referrer-types.js';

// Ghost's list of referrers, which continues Snowplow's. The build copies it there. The look-up of its
// package is not used: it compares beginnings, so that `t.company.example` is `t.co`.
const listFile = new URL('../../../dist/referrers/referrers.json', import.meta.url);
// The media of the list that are types. Its other media are ordinary sites.
const listedTypes = ['search', 'social', 'email', 'paid'] as const;

// Hosts that the list of referrers does not have, or has with another type. A leading dot matches the
// host and its subdomains. Without it, only the host matches, because its subdomains are other
// services. The longest match wins.
const hosts = {
  search: `
    cn.bing.com .duckduckgo.com .baidu.com .ecosia.org .qwant.com .startpage.com .naver.com
    .daum.net .seznam.cz .sogou.com .so.com .sm.cn .mojeek.com kagi.com .ask.com .aol.com
    .swisscows.com .petalsearch.com .coccoc.com .rambler.ru .yep.com .presearch.com .metager.de
    .metager.org .lycos.com .dogpile.com .tineye.com search.marginalia.nu search.naver.jp
    .gibiru.com oceanhero.today .luxxle.com`,
  social: `
    fb.com fb.watch .threads.net .threads.com .messenger.com .bsky.social redd.it pin.it
    .tiktok.com .snapchat.com .vk.ru .vk.me .weibo.cn .zhihu.com .xiaohongshu.com .bilibili.com
    .douyin.com .whatsapp.com wa.me .telegram.org .t.me telegram.me .telegra.ph .discord.com
    discord.gg .discordapp.com .slack.com .teams.microsoft.com .teams.live.com .skype.com
    .signal.org .line.me .viber.com .wechat.com .weixin.qq.com .kakao.com .zalo.me .element.io
    .matrix.to .medium.com .substack.com .lobste.rs .mstdn.social .mas.to .fosstodon.org
    .hachyderm.io .mstdn.jp .infosec.exchange .chaos.social .techhub.social .universeodon.com
    .troet.cafe .pawoo.net .pixelfed.social .lemmy.world .lemmy.ml .misskey.io .tapbots.com
    .nextdoor.com .twitch.tv .meetup.com .gab.com .truthsocial.com .nostr.com .workplace.com
    .yammer.com .bereal.com .mewe.com .feedly.com .digg.com .plurk.com .cohost.org
    .steamcommunity.com .soundcloud.com .kakaocorp.com .lemon8-app.com .rednote.com .kick.com`,
  email: `
    .outlook.com .outlook.office.com .outlook.office365.com .outlook.cloud.microsoft .hotmail.com
    .mail.proton.me .protonmail.com .tutanota.com .tuta.com .fastmail.com .zoho.com .gmx.net
    .gmx.com .gmx.ch .web.de .icloud.com .hey.com .superhuman.com .orange.fr .mailchi.mp
    .list-manage.com .sendgrid.net .mailbox.org .posteo.de .campaign-archive.com .beehiiv.com
    .mail.com .urldefense.com .urldefense.proofpoint.com .linkprotect.cudasvc.com
    .mimecastprotect.com .protect-eu.mimecast.com .protect-us.mimecast.com .clicktime.symantec.com`,
  paid: `
    .doubleclick.net .googlesyndication.com .2mdn.net .syndicatedsearch.goog
    .adtrafficquality.google .adsensecustomsearchads.com .ads.microsoft.com .bingads.microsoft.com
    .ads.msn.com bat.bing.com .bat.bing.net .ads.yahoo.com .ads.linkedin.com .ads.tiktok.com
    .ads.pinterest.com .ads.reddit.com .ads.snapchat.com .ads.twitter.com .ads.x.com
    .amazon-adsystem.com .advertising.amazon.com .outbrain.com .criteo.com .criteo.net .adsrvr.org
    .revcontent.com .mgid.com .zemanta.com .rtbhouse.com .creativecdn.com .smartadserver.com
    .rubiconproject.com .magnite.com .pubmatic.com .3lift.com .triplelift.com .sharethrough.com
    .teads.tv .media.net .mediago.io .popin.cc .stackadapt.com .applovin.com .unityads.unity3d.com
    .vungle.com .liftoff.io .inmobi.com .ironsrc.com .propellerads.com .exoclick.com .adsterra.com
    .popads.net .trafficjunky.net .direct.yandex.ru .ads.vk.com .target.my.com .cpro.baidu.com
    .adcr.naver.com .ader.naver.com .ad.daum.net`,
  ai: `
    .chatgpt.com .openai.com .claude.ai .perplexity.ai gemini.google.com bard.google.com
    aistudio.google.com notebooklm.google.com copilot.microsoft.com .copilot.cloud.microsoft
    m365.cloud.microsoft .copilot.com .meta.ai .grok.com .x.ai .deepseek.com .mistral.ai .you.com
    .poe.com .phind.com .character.ai .pi.ai .kimi.com .moonshot.cn .doubao.com .qwen.ai
    .tongyi.com .yiyan.baidu.com .huggingface.co .duck.ai .manus.im .genspark.ai .felo.ai
    .andisearch.com .chatglm.cn .lmarena.ai`,
  // A sign-in page, and a site that has shut down.
  other: 'login.live.com url.google.com',
} as const;

// Services with a domain in each country.
const countryPatterns: readonly (readonly [RegExp, ReferrerType])[] = [
  [/^(?:.+\.)?mail\.yahoo\.(?:com?\.)?[a-z]{2,3}$/, 'email'],
  [/^(?:ads?|adservice|partner)\.google\.(?:com?\.)?[a-z]{2,3}$/, 'paid'],
  [/^(?:yabs|an|direct)\.yandex\.(?:com?\.)?[a-z]{2,3}$/, 'paid'],
  [
    /^(?:(?:blogsearch|books|cse|images|lens|m|news|scholar|search|video)\.)?google\.(?:(?:com?|it)\.)?[a-z]{2,3}$/,
    'search',
  ],
  [/^(?:(?:.+\.)?search\.)?yahoo\.(?:com?\.)?[a-z]{2,3}$/, 'search'],
  [/^(?:m\.|images\.)?yandex\.(?:com?\.)?[a-z]{2,3}$/, 'search'],
  [/^(?:m\.)?ya\.ru$/, 'search'],
  [/^(?:.+\.)?pinterest\.(?:com?\.)?[a-z]{2,3}$/, 'social'],
  [/^(?:.+\.)?(?:lastfm|badoo|livejournal)\.(?:com?\.)?[a-z]{2,3}$/, 'social'],
];

// Common host names of webmail. They precede the types of parent domains: `mail.rambler.ru` is not a
// search engine.
const mailHost =
  /^(?:web-?mail|e-?mail|mail|mailbox|owa|outlook|roundcube|zimbra|horde|squirrelmail|poczta|correo)[\d-]*\./;
const mastodonHost = /^(?:mastodon|mstdn|social)\./;

const types = new Map<string, ReferrerType>();
const listed: Record<string, { medium: string }> = JSON.parse(readFileSync(listFile, 'utf8'));
for (const [key, { medium }] of Object.entries(listed)) {
  // Not those with a path, because browsers send the path to pages of the same site only.
  if (!/^[\w-]+(?:\.[\w-]+)+$/.test(key)) continue;
  const host = key.toLowerCase().replace(/^www\./, '');
  const type = listedTypes.find((each) => each === medium) ?? 'other';
  types.set(host, type);
  // Subdomains of a search engine's host may be other services, such as documents.
  if (type !== 'search' && type !== 'other') types.set(`.${host}`, type);
}
for (const [type, list] of Object.entries(hosts)) {
  for (const host of list.trim().split(/\s+/)) {
    types.set(host, type as keyof typeof hosts);
    if (host.startsWith('.')) types.set(host.slice(1), type as keyof typeof hosts);
  }
}

export function referrerTypeOf(host: string): ReferrerType {
  const exact = types.get(host);
  if (exact) return exact;
  if (mailHost.test(host)) return 'email';
  const pattern = countryPatterns.find(([hosts]) => hosts.test(host));
  if (pattern) return pattern[1];
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) {
    const type = types.get(host.slice(dot));
    if (type) return type;
  }
  return mastodonHost.test(host) ? 'social' : 'other';
}

export const appHosts: ReadonlyMap<string, string> = new Map([
  ['com.google.android.googlequicksearchbox', 'google.com'],
  ['com.google.android.gm', 'mail.google.com'],
  ['com.google.android.gm.lite', 'mail.google.com'],
  ['com.google.android.youtube', 'youtube.com'],
  ['com.google.android.apps.bard', 'gemini.google.com'],
  ['com.google.ar.lens', 'lens.google.com'],
  ['com.microsoft.office.outlook', 'outlook.com'],
  ['com.microsoft.teams', 'teams.microsoft.com'],
  ['com.microsoft.bing', 'bing.com'],
  ['com.microsoft.copilot', 'copilot.microsoft.com'],
  ['com.yahoo.mobile.client.android.mail', 'mail.yahoo.com'],
  ['ch.protonmail.android', 'mail.proton.me'],
  ['com.duckduckgo.mobile.android', 'duckduckgo.com'],
  ['com.openai.chatgpt', 'chatgpt.com'],
  ['com.anthropic.claude', 'claude.ai'],
  ['ai.perplexity.app.android', 'perplexity.ai'],
  ['com.slack', 'slack.com'],
  ['com.discord', 'discord.com'],
  ['com.whatsapp', 'whatsapp.com'],
  ['com.whatsapp.w4b', 'whatsapp.com'],
  ['org.telegram.messenger', 'telegram.org'],
  ['org.telegram.messenger.web', 'telegram.org'],
  ['org.thoughtcrime.securesms', 'signal.org'],
  ['com.linkedin.android', 'linkedin.com'],
  ['com.twitter.android', 'x.com'],
  ['xyz.blueskyweb.app', 'bsky.app'],
  ['org.joinmastodon.android', 'mastodon.social'],
  ['com.facebook.katana', 'facebook.com'],
  ['com.facebook.lite', 'facebook.com'],
  ['com.facebook.orca', 'messenger.com'],
  ['com.instagram.android', 'instagram.com'],
  ['com.instagram.barcelona', 'threads.net'],
  ['com.pinterest', 'pinterest.com'],
  ['com.reddit.frontpage', 'reddit.com'],
  ['com.snapchat.android', 'snapchat.com'],
  ['com.zhiliaoapp.musically', 'tiktok.com'],
  ['com.viber.voip', 'viber.com'],
  ['jp.naver.line.android', 'line.me'],
  ['com.tencent.mm', 'wechat.com'],
  ['com.vkontakte.android', 'vk.com'],
]);
