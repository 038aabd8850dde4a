export const deviceTypes = ['desktop', 'mobile', 'tablet', 'other'] as const;
export type DeviceType = (typeof deviceTypes)[number];
