// Runs a bundled worker on workerd.
import { Miniflare } from 'miniflare';

new Miniflare({
  modules: true,
  scriptPath: 'bundle.mjs',
  compatibilityDate: '2025-06-01',
  port: 3000,
  bindings: { SHORTY_WEBHOOK_SECRET: process.env.SHORTY_WEBHOOK_SECRET },
});
