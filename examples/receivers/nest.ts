import 'reflect-metadata';
import { Controller, HttpCode, HttpException, Module, Post, Req } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { verifyWebhook, WebhookVerificationError } from '@shorty/webhook-verifier';

const secret = process.env.SHORTY_WEBHOOK_SECRET ?? '';

@Controller('hook')
class HookController {
  @Post()
  @HttpCode(204)
  receive(@Req() { headers, rawBody }: { headers: Record<string, string>; rawBody?: Buffer }) {
    try {
      const event = verifyWebhook({ body: rawBody ?? '', headers, secret });
      console.log(event.type);
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
