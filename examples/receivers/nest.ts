import 'reflect-metadata';
import { Controller, HttpCode, HttpException, Module, Post, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { verifyDelivery, WebhookVerificationError } from '@shorty/webhook-verifier';
import { createDeduper } from '@shorty/webhook-verifier/dedupe';

const secret = process.env.SHORTY_WEBHOOK_SECRET ?? '';
const deduper = createDeduper();

@Controller('hook')
class HookController {
  @Post()
  @HttpCode(204)
  async receive(@Req() { headers, rawBody }: { headers: Record<string, string>; rawBody?: Buffer }) {
    try {
      const delivery = { headers, body: rawBody ?? '' };
      const { event, deliveryId } = await verifyDelivery(delivery, { secret });
      await deduper.once(deliveryId, () => console.log(event.type));
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      throw new HttpException({ error }, error.statusCode);
    }
  }
}

@Module({ controllers: [HookController] })
class AppModule {}

const app = await NestFactory.create(AppModule, { rawBody: true });
app.useBodyParser('json', { limit: '1mb' });
await app.listen(3000);
