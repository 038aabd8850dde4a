import { html } from './markup.js';

/** The style sheet of an HTML report: light, dark, narrow screens and print. */
export const reportStyle = html`
:root,:host{color-scheme:light dark;--ink:#1c2024;--dim:#60646c;--paper:#fcfcfd;--card:#fff;--line:#e0e1e6;--clicks:#abbdf9;--uniques:#3451b2}
@media screen and (prefers-color-scheme:dark){:root,:host{--ink:#edeef0;--dim:#b0b4ba;--paper:#111113;--card:#18191b;--line:#363a3f;--clicks:#304384;--uniques:#9eb1ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:60rem;margin:0 auto;padding:2rem 1rem}
h1{margin:0;font-size:1.5rem;line-height:1.25;overflow-wrap:anywhere}
h2{margin:0 0 .5rem;font-size:1rem}
header p,footer{margin:.25rem 0 0;color:var(--dim)}
footer{margin-top:1.5rem;font-size:.875rem}
.totals{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.5rem 0;padding:0;list-style:none}
.totals li,figure,section,.none{padding:.75rem 1rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
.totals li{flex:1 0 auto;color:var(--dim);white-space:nowrap}
.totals b{display:block;color:var(--ink);font-size:1.5rem;line-height:1.3;font-variant-numeric:tabular-nums}
figure{margin:0 0 .75rem}
figure.merged{--clicks:var(--uniques)}
figcaption{margin-bottom:.5rem;color:var(--dim);font-size:.875rem}
.key::before{content:"";display:inline-block;width:.75em;height:.75em;margin-right:.4em;border-radius:2px;background:var(--clicks)}
.key.uniques{margin-left:1em}
.key.uniques::before{background:var(--uniques)}
.chart{display:flex}
.scale{flex:none}
.plot{flex:1;min-width:0;overflow:visible}
svg text{fill:var(--dim);font-size:12px;font-variant-numeric:tabular-nums}
svg line{stroke:var(--line)}
rect.hit{fill:transparent}
rect.clicks{fill:var(--clicks)}
rect.uniques{fill:var(--uniques)}
rect:not(.hit){pointer-events:none}
g:hover .hit{fill:var(--line);opacity:.6}
.sections{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));gap:.75rem}
.top-url,.referrer{grid-column:1/-1}
table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.25rem 0;text-align:right;vertical-align:top;white-space:nowrap}
td,thead th{padding-left:1rem}
th:first-child{width:100%;padding-left:0;text-align:left;font-weight:400;white-space:normal;overflow-wrap:anywhere}
thead th{color:var(--dim);font-size:.875rem;font-weight:400}
td:last-child{color:var(--dim)}
small{color:var(--dim)}
a,button{color:inherit}
button{padding:0;border:0;background:none;font:inherit;text-align:left;text-decoration:underline;cursor:pointer}
.bar{display:block;min-width:2px;margin:.125rem 0;border-radius:2px;background:var(--uniques)}
section .none{padding:0;border:0}
.none{margin-top:0;color:var(--dim)}
.sections,.none{margin-bottom:.75rem}
summary{margin-top:.5rem;color:var(--dim);cursor:pointer}
@media (max-width:40rem){svg .extra{display:none}main{padding:1rem .75rem}.totals li{flex-basis:40%}}
@media print{*{print-color-adjust:exact;-webkit-print-color-adjust:exact}main{max-width:none;padding:0}figure,section,li,tr{break-inside:avoid}details{display:none}}
`;
