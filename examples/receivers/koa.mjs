import { verifyRequest, WebhookVerificationError } from '@shorty/webhook-verifier';
import Koa from 'koa';

const secret = process.env.SHORTY_WEBHOOK_SECRET;
const app = new Koa();

app.use(async (ctx, next) => {
  if (ctx.path !== '/hook') return next();
  try {
    const event = await verifyRequest(ctx.req, { secret });
    console.log(event.type);
    ctx.status = 204;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    ctx.status = error.statusCode;
    ctx.body = { error };
  }
});

app.listen(3000);
