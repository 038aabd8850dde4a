import { palette, typeface } from '../../pages/page.js';

/**
 * The style of the documentation page: its frame, and colours with more contrast than Swagger UI's.
 * Selectors start with an id to override Swagger UI's rules for both colour schemes.
 */
export const docsStyle = `${palette}
:root{--get:#0a5fbf;--post:#0a7048;--patch:#0b6b66;--delete:#b3261e}
*{box-sizing:border-box}
html,html.dark-mode{background:var(--paper)}
html body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.55 ${typeface}}
.bar{display:flex;flex-wrap:wrap;justify-content:space-between;gap:.25rem 1.25rem;padding:.875rem 1.25rem;background:var(--card);border-bottom:1px solid var(--line)}
.bar a{color:var(--accent)}
.bar .home{font-weight:700;color:var(--ink);text-decoration:none}
#docs a:focus-visible,.bar a:focus-visible,#docs button:focus-visible,#docs input:focus-visible,#docs select:focus-visible,#docs textarea:focus-visible,#docs [tabindex]:focus-visible{outline:3px solid var(--accent);outline-offset:2px}

#docs .swagger-ui,#docs .swagger-ui .scheme-container{background:var(--paper);color:var(--ink)}
#docs .info{margin:2rem 0}
#docs .info .title small{background:var(--dim)}
#docs .info .title small pre{color:var(--paper)}
#docs .info a,#docs .info .url,#docs .scopes a{color:var(--accent)}
#docs .operations-bar{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.5rem}
#docs .operations-bar h2{margin:0;font-size:1.75rem}
#docs .opblock-tag small,#docs .opblock-tag,#docs .opblock .opblock-summary-description{color:var(--ink)}
#docs .expand-operation{margin-left:auto}
@media (max-width:40rem){#docs .opblock-tag{flex-wrap:wrap}#docs .opblock-tag small{order:1;flex:1 0 100%;padding:0}}
#docs .opblock-get{--method:var(--get)}
#docs .opblock-post{--method:var(--post)}
#docs :is(.opblock-put,.opblock-patch){--method:var(--patch)}
#docs .opblock-delete{--method:var(--delete)}
#docs .opblock .opblock-summary-method{background:var(--method);color:#fff;text-shadow:none}
#docs .btn.authorize,#docs .btn.authorize svg{border-color:var(--accent);color:var(--accent)}
#docs .btn.authorize{display:inline-flex;align-items:center}
#docs .btn.authorize span{padding:0 1.25rem 0 0}
#docs .required:after{color:var(--error)}
#docs .tab-item h4 span:after{display:none}
#docs .btn.cancel{border-color:var(--error);color:var(--error)}
#docs .btn.execute{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
#docs .parameter__in,#docs .prop-format,#docs .header-example{color:var(--dim)}
#docs .header-col{color:var(--ink)}
/* Swagger UI colours the numbers of examples, on a dark ground, by an attribute. */
#docs .microlight span[style*="rgb(211, 99, 99)"]{color:#f09a9a!important}
#docs .opblock-section-header{flex-wrap:wrap;min-height:0}
#docs .try-out{flex-wrap:wrap;gap:.5rem;padding:.5rem}
#docs .response-col_links{display:none}
#docs .responses-table,#docs .parameters{table-layout:fixed;width:100%}
#docs .response-col_status{width:4rem}
#docs .parameters-col_name{width:9rem;overflow-wrap:anywhere}
#docs .modal-ux{max-width:min(40rem,100vw - 2rem)}
`;
