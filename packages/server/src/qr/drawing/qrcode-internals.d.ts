// Two tables of ISO/IEC 18004 that `qrcode` has but neither exports nor types.
declare module 'qrcode/lib/core/error-correction-code.js' {
  import type { create, QRCodeErrorCorrectionLevel } from 'qrcode';

  type Level = ReturnType<typeof create>['errorCorrectionLevel'];
  const tables: {
    getBlocksCount(version: number, level: Level): number;
    getTotalCodewordsCount(version: number, level: Level): number;
  };
  export default tables;
  export type { QRCodeErrorCorrectionLevel };
}
