import { verifyDelivery, WebhookVerificationError } from '@shorty/webhook-verifier';
import { createDeduper } from '@shorty/webhook-verifier/dedupe';
import Koa from 'koa';

const secret = process.env.SHORTY_WEBHOOK_SECRET;
const deduper = createDeduper();
const app = new Koa();

app.use(async (ctx, next) => {
  if (ctx.path !== '/hook') return next();
  try {
    const { event, deliveryId } = await verifyDelivery(ctx.req, { secret });
    await deduper.once(deliveryId, () => console.log(event.type));
    ctx.status = 204;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    ctx.status = error.statusCode;
    ctx.body = { error };
  }
});

app.listen(3000);
