// The ranges of charts over time, up to now.

export const TIME_RANGES = ['1h', '6h', '24h', '7d', '30d', '90d'] as const
export type TimeRange = (typeof TIME_RANGES)[number]
