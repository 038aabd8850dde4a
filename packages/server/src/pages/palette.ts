/** The colours of every page, light and dark. Text has a contrast of at least 4.5 to 1. */
export const palette = `
:root{color-scheme:light dark;--ink:#1c2024;--dim:#60646c;--paper:#fcfcfd;--card:#fff;--line:#d9d9e0;--accent:#3451b2;--on-accent:#fff;--error:#b42318}
@media (prefers-color-scheme:dark){:root{--ink:#edeef0;--dim:#b0b4ba;--paper:#111113;--card:#18191b;--line:#43484e;--accent:#9eb1ff;--on-accent:#111113;--error:#ff9592}}
`;

export const typeface = 'system-ui,-apple-system,"Segoe UI",Roboto,sans-serif';
