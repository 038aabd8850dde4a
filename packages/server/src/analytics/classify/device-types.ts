export const deviceTypes = ['desktop', 'mobile', 'tablet', 'tv', 'console', 'other'] as const;
export type DeviceType = (typeof deviceTypes)[number];
