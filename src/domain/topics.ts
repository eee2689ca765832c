// The topics of live updates (D74): a topic names what changed, and its readers load the data with the calls that they may make.

/** The topics of a workspace. Only operators get the others, with those of all workspaces. */
export const WORKSPACE_TOPICS = ['messages', 'codes', 'requests', 'webhooks', 'replies', 'settings'] as const

/** `figures` are the sums per carrier and per minute. */
export const TOPICS = [...WORKSPACE_TOPICS, 'carriers', 'figures'] as const

export type Topic = (typeof TOPICS)[number]
