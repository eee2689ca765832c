// The review status of a template (D4).
export const TEMPLATE_STATUSES = ['pending', 'approved', 'rejected'] as const
export type TemplateStatus = (typeof TEMPLATE_STATUSES)[number]
