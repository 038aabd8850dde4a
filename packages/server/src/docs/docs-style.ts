import { palette, typeface } from '../pages/palette.js';

/** The frame of the page about the API, and our colours where Swagger UI has paler ones of its own. */
export const docsStyle = `${palette}
:root{--get:#0a5fbf;--post:#0a7048;--patch:#0b6b66;--delete:#b3261e}
*{box-sizing:border-box}
html body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.55 ${typeface}}
.bar{display:flex;flex-wrap:wrap;align-items:baseline;gap:.25rem 1.25rem;padding:.875rem 1.25rem;background:var(--card);border-bottom:1px solid var(--line)}
.bar a{color:var(--accent)}
.bar h1{margin:0 auto 0 0;font-size:1.125rem}
.bar h1 a{color:var(--ink);text-decoration:none}
a:focus-visible,button:focus-visible,input:focus-visible,select:focus-visible,textarea:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--accent);outline-offset:2px}

html.dark-mode,html.dark-mode .swagger-ui,.swagger-ui{background:var(--paper);color:var(--ink)}
.swagger-ui .opblock.opblock-get{--method:var(--get)}
.swagger-ui .opblock.opblock-post{--method:var(--post)}
.swagger-ui .opblock.opblock-patch{--method:var(--patch)}
.swagger-ui .opblock.opblock-delete{--method:var(--delete)}
.swagger-ui .opblock[class] .opblock-summary-method{background:var(--method);color:#fff;text-shadow:none}
`;
