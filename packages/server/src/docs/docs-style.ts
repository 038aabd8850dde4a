import { palette, typeface } from '../pages/palette.js';

/** The frame of the page about the API, and our colours where Swagger UI has its own. */
export const docsStyle = `${palette}
*{box-sizing:border-box}
html body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.55 ${typeface}}
.bar{display:flex;flex-wrap:wrap;align-items:baseline;gap:.25rem 1.25rem;padding:.875rem 1.25rem;background:var(--card);border-bottom:1px solid var(--line)}
.bar a{color:var(--accent)}
.bar .home{margin-right:auto;font-weight:700;color:var(--ink);text-decoration:none}
a:focus-visible,button:focus-visible,input:focus-visible,select:focus-visible,textarea:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
`;
