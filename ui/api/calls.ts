// Made by `npm run generate -- types` from the OpenAPI document of the management API; a test tells when it is stale.
// biome-ignore-all format: made by a program

export type Account = { id: string; email: string; pendingEmail: string | null; emailChange: 'by_link' | 'at_once' | 'by_operator'; name: string; language: 'en' | 'ne' | null; hasPassword: boolean; hasTotp: boolean }
export type AccountChange = { email?: string; name?: string; language?: 'en' | 'ne' | null }
export type ActedOnMessages = { changed: number; refused: number; left: number; next: string | null }
export type AllowedPrefix = { prefix: string }
export type AllowedPrefixList = { items: AllowedPrefix[]; next: null }
export type AnyNewCarrier = NewCarrier | NewHttpCarrier
export type Attribution = { clientId: string }
export type AuditEntry = { id: string; actor: string; by: { kind: 'person' | 'token'; id: string; name: string; email: string | null } | null; action: string; subject: string; details: Record<string, unknown>; address: string | null; requestId: string | null; at: string; workspaceId: string | null }
export type AuditEntryList = { items: AuditEntry[]; next: string | null }
export type Caller = { kind: 'operator' | 'owner' | 'developer' | 'viewer'; token: { id: string; name: string } | null; workspace: { id: string; name: string } | null; person: { id: string; name: string; email: string; language: 'en' | 'ne' | null; hasPassword: boolean; hasTotp: boolean } | null; session: { id: string; freshUntil: string; endsAt: string } | null; isOperator: boolean; memberships: { workspace: { id: string; name: string }; role: 'owner' | 'developer' | 'viewer' }[] }
export type Carrier = SmppCarrier | HttpCarrier
export type CarrierCallback = { callbackUrl: string }
export type CarrierCallbackRequest = { renew?: boolean } | null
export type CarrierCapture = { id: string; carrierId: string; startedAt: string; endsAt: string; frames: number }
export type CarrierCaptureFile = { pcap: string }
export type CarrierCaptureList = { items: CarrierCapture[]; next: null }
export type CarrierChange = { name?: string; binds?: number; window?: number; answerSeconds?: number; segmentsPerSecond?: number | null; defaultSender?: string | null; resendUnknown?: boolean; breakAfterUnanswered?: number | null; breakAfterRefused?: number | null; enabled?: boolean; host?: string; port?: number; tls?: boolean; systemId?: string; password?: string; systemType?: string; bindMode?: 'transceiver' | 'separate'; idFormat?: 'opaque' | 'hex' | 'decimal' | { answers: 'opaque' | 'hex' | 'decimal'; reports: 'opaque' | 'hex' | 'decimal' }; receiptsByText?: boolean; alphabet?: 'gsm' | 'latin1' | 'ascii'; longMessages?: 'udh' | 'sar' | 'payload'; sourceTon?: number | null; sourceNpi?: number | null; statusOverrides?: { answers?: Record<string, { outcome: 'accepted' | 'throttled' | 'other_carrier' | 'retryable' | 'rejected'; error?: 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed' }>; reports?: Record<string, { error: 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed' }>; states?: Record<string, { status: 'pending' | 'delivered' | 'undelivered' | 'rejected'; error?: 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed' }> }; tlsKey?: string | null; smpp?: SmppSettings; http?: HttpDescription; secrets?: Record<string, string | null> }
export type CarrierFieldsChange = { carrierFields: Record<string, string> }
export type CarrierFigures = { since: string; health: { state: 'working' | 'broken' | 'down' | 'off'; reason: string | null; since: string | null }; total: { accepted: number; rejected: number; unanswered: number; delivered: number; undelivered: number; deliveryRatio: number | null; answerSeconds: number | null; receiptSeconds: number | null }; prefixes: { prefix: string; accepted: number; rejected: number; unanswered: number; delivered: number; undelivered: number; deliveryRatio: number | null; answerSeconds: number | null; receiptSeconds: number | null }[] }
export type CarrierList = { items: Carrier[]; next: string | null }
export type CarrierPreset = { name: string; version: number; title: string; source: string; receipts: ('callback' | 'poll' | 'none')[]; isVerified: boolean; values: { name: string; description: string; default: string | null }[]; secrets: { name: string; description: string }[]; notes: string[] }
export type CarrierPresetList = { items: CarrierPreset[]; next: null }
export type CarrierPrices = { currency: string | null; prices: { prefix: string; price: number }[]; updatedAt: string | null }
export type CarrierTest = { id: string; startedAt: string; binds: { number: number; mode: 'transceiver' | 'transmitter' | 'receiver'; state: 'idle' | 'connecting' | 'bound' | 'waiting'; boundAt: string | null; milliseconds: number | null; fault: string | null; answeredAt: string | null; steps: { step: 'address' | 'connection' | 'tls' | 'answer'; detail: string; fault: string | null; milliseconds: number | null }[] }[]; message: { to: string; text: string; outcome: 'open' | 'accepted' | 'throttled' | 'other_carrier' | 'unwritten' | 'unknown' | 'retryable' | 'rejected'; commandStatus: number | null; carrierMessageId: string | null; milliseconds: number | null; answeredAt: string | null; report: { state: string; code: string; raw: string; at: string } | null } | null }
export type CarrierTestList = { items: CarrierTest[]; next: null }
export type Client = { id: string; workspaceId: string; name: string; brandName: string; mode: 'live' | 'test'; defaultSender: string; webhookUrl: string | null; requestsPerSecond: number; keyPrefix: string; hasTestOtpCode: boolean; disabledAt: string | null; disabledBy: 'operator' | 'owner' | null; previousWebhookSecretEndsAt: string | null; restrictions: Restrictions; setByOperator: OperatorRestrictions; createdAt: string; updatedAt: string }
export type ClientChange = { name?: string; brandName?: string; defaultSender?: string; webhookUrl?: string | null; requestsPerSecond?: number; testOtpCode?: string | null; restrictions?: { types?: ('transactional' | 'otp' | 'promotional')[] | null; ipAllowlist?: string[] | null; numberPrefixes?: string[] | null; dailyCap?: number | null; hourlyCapPerNumber?: number | null; pumpingGuard?: 'off' | 'monitor' | 'block'; pumpingAllowlist?: string[] | null } }
export type ClientFraudEvent = { scope: string; rule: string; reason: string; mode: 'monitor' | 'block'; strikes: number; struckAt: string; heldUntil: string }
export type ClientFraudEventList = { items: ClientFraudEvent[]; next: null }
export type ClientList = { items: Client[]; next: string | null }
export type ClientWithApiKey = { id: string; workspaceId: string; name: string; brandName: string; mode: 'live' | 'test'; defaultSender: string; webhookUrl: string | null; requestsPerSecond: number; keyPrefix: string; hasTestOtpCode: boolean; disabledAt: string | null; disabledBy: 'operator' | 'owner' | null; previousWebhookSecretEndsAt: string | null; restrictions: Restrictions; setByOperator: OperatorRestrictions; createdAt: string; updatedAt: string; apiKey: string }
export type ClientWithSecrets = { id: string; workspaceId: string; name: string; brandName: string; mode: 'live' | 'test'; defaultSender: string; webhookUrl: string | null; requestsPerSecond: number; keyPrefix: string; hasTestOtpCode: boolean; disabledAt: string | null; disabledBy: 'operator' | 'owner' | null; previousWebhookSecretEndsAt: string | null; restrictions: Restrictions; setByOperator: OperatorRestrictions; createdAt: string; updatedAt: string; apiKey: string; webhookSecret: string }
export type ClientWithWebhookSecret = { id: string; workspaceId: string; name: string; brandName: string; mode: 'live' | 'test'; defaultSender: string; webhookUrl: string | null; requestsPerSecond: number; keyPrefix: string; hasTestOtpCode: boolean; disabledAt: string | null; disabledBy: 'operator' | 'owner' | null; previousWebhookSecretEndsAt: string | null; restrictions: Restrictions; setByOperator: OperatorRestrictions; createdAt: string; updatedAt: string; webhookSecret: string }
export type Clock = { now: string }
export type ClockStep = { seconds: number }
export type CodeDay = { day: string; sent: number; delivered: number; verified: number }
export type CodeFunnel = { from: string; to: string; timeZone: string; items: CodeDay[]; next: null }
export type CodePrefix = { prefix: string; sent: number; delivered: number; verified: number }
export type CodePrefixes = { from: string; to: string; items: CodePrefix[]; next: null }
export type Country = { code: string; name: string; state: 'live' | 'comingSoon' | 'off'; timeZone: string; quietHours: { from: string; to: string } | null; policy: 'weighted' | 'priority' | 'cheapest' }
export type CountryChange = { name: string; state: 'live' | 'comingSoon' | 'off'; timeZone?: string; quietHours?: { from: string; to: string } | null; policy?: 'weighted' | 'priority' | 'cheapest' }
export type CountryList = { items: Country[]; next: null }
export type Credentials = { email: string; password: string; code?: string }
export type CredentialsAgain = { password?: string; code?: string }
export type CreditAlert = { below: number | null; isLow: boolean }
export type DescribedHttp = { preset: { name: string; version: number } | null; onlyTo: string[]; method: 'POST' | 'PUT' | 'GET'; url: string; headers: Record<string, string>; auth: { kind: 'header'; name: string; value: string } | { kind: 'basic'; user: string; password: string } | { kind: 'query'; name: string; value: string } | null; body: { kind: 'json'; value: unknown } | { kind: 'form'; fields: Record<string, string> } | null; answer: { rules: { status?: (number | string)[]; at?: string; is?: (string | number | boolean | null)[]; outcome?: 'accepted' | 'throttled' | 'other_carrier' | 'retryable' | 'rejected' | 'unknown'; error?: 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed'; table?: Record<string, { outcome: 'accepted' | 'throttled' | 'other_carrier' | 'retryable' | 'rejected' | 'unknown'; error?: 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed' }> }[]; id: string | null; said: string | string[] | null }; receipts: { kind: 'callback'; reading: { list: string | null; id: string | null; reference: string | null; state: string; states: Record<string, { status: 'pending' | 'sent' | 'delivered' | 'undelivered' | 'rejected' | 'expired'; error?: 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed' }>; code: string | null; codes: Record<string, { error: 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed' }>; to: string | null; time: string | null }; check: { kind: 'header'; name: string; value: string } | { kind: 'query'; name: string; value: string } | { kind: 'basic'; user: string; password: string } | { kind: 'hmac'; header: string; prefix: string; algorithm: 'sha1' | 'sha256' | 'sha512'; encoding: 'hex' | 'base64'; over: 'body' | 'url_and_form'; key: string } | null; answer: { status: number; type: 'text/plain' | 'application/json' | 'text/xml'; body: string } } | { kind: 'poll'; method: 'POST' | 'PUT' | 'GET'; url: string; headers: Record<string, string>; auth: 'same' | { kind: 'header'; name: string; value: string } | { kind: 'basic'; user: string; password: string } | { kind: 'query'; name: string; value: string } | null; body: { kind: 'json'; value: unknown } | { kind: 'form'; fields: Record<string, string> } | null; many: { most: number; join: string | null; items: string | null } | null; reading: { list: string | null; id: string | null; reference: string | null; state: string; states: Record<string, { status: 'pending' | 'sent' | 'delivered' | 'undelivered' | 'rejected' | 'expired'; error?: 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed' }>; code: string | null; codes: Record<string, { error: 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed' }>; to: string | null; time: string | null }; firstAfterSeconds: number; longestWaitSeconds: number; atOnce: number; perSecond: number } | null }
export type Error = { error: string; code: string; details?: { path: (string | number)[]; message: string; code: string }[] | { country: string; allowed: string[] } | { balance: number; cost: number } | { templateId: string; name: string; status: 'approved' | 'pending' | 'rejected'; difference?: { position: number; expected: string; found: string } } }
export type EventToTrigger = { outcome: 'delivered' | 'undelivered' | 'failed' | 'rejected' | 'inbound'; to?: string }
export type Finding = { state: 'ok' | 'warning' | 'error'; code: 'sending_on' | 'sending_off' | 'no_live_country' | 'no_carrier' | 'carrier_off' | 'carrier_broken' | 'carrier_bound' | 'carrier_in_part' | 'carrier_down' | 'carrier_refuses' | 'receipts_unmatched' | 'receipts_unread' | 'receipts_shared' | 'answers_unexpected' | 'answers_unreadable' | 'messages_in_doubt' | 'country_without_route' | 'country_without_carrier' | 'country_in_part' | 'country_served' | 'workspaces_active' | 'no_active_workspace' | 'workspace_without_credit' | 'templates_pending'; what: string; about: { kind: 'carrier' | 'country' | 'workspace'; id: string; name: string } | null }
export type FraudEvent = { id: string; clientId: string; scope: string; rule: 'R1' | 'R2' | 'R3'; reason: string; strikes: number; struckAt: string; heldUntil: string; refused: number; passed: number }
export type FraudEventList = { items: FraudEvent[]; next: string | null }
export type FreshSignIn = { freshUntil: string }
export type HandsetMessageList = { items: { id: string; to: string; from: string; text: string; receivedAt: string }[]; replies: { from: string; to: string; text: string; sentAt: string }[] }
export type HandsetReplyWritten = { taken: boolean }
export type HealthCheck = { ok: boolean; findings: Finding[] }
export type HttpCarrier = { kind: 'http'; id: string; name: string; binds: number; window: number; answerSeconds: number; segmentsPerSecond: number | null; defaultSender: string | null; resendUnknown: boolean; breakAfterUnanswered: number | null; breakAfterRefused: number | null; enabled: boolean; health: { state: 'working' | 'broken' | 'down' | 'off'; reason: string | null; since: string | null }; state: { number: number; mode: 'transceiver' | 'transmitter' | 'receiver'; state: 'idle' | 'connecting' | 'bound' | 'waiting'; peer: string | null; boundAt: string | null; inFlight: number; segmentsPerSecond: number; lastError: string | null; lastErrorAt: string | null }[]; createdAt: string; updatedAt: string; http: DescribedHttp; secretNames: string[] }
export type HttpDescription = { preset?: { name: string; version: number } | null; onlyTo?: string[]; method?: 'POST' | 'PUT' | 'GET'; url: string; headers?: Record<string, string>; auth?: { kind: 'header'; name: string; value: string } | { kind: 'basic'; user: string; password: string } | { kind: 'query'; name: string; value: string } | null; body?: { kind: 'json'; value: unknown } | { kind: 'form'; fields: Record<string, string> } | null; answer: { rules?: { status?: (number | string)[]; at?: string; is?: (string | number | boolean | null)[]; outcome?: 'accepted' | 'throttled' | 'other_carrier' | 'retryable' | 'rejected' | 'unknown'; error?: 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed'; table?: Record<string, { outcome: 'accepted' | 'throttled' | 'other_carrier' | 'retryable' | 'rejected' | 'unknown'; error?: 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed' }> }[]; id?: string | null; said?: string | string[] | null }; receipts?: { kind: 'callback'; reading: { list?: string | null; id?: string | null; reference?: string | null; state: string; states?: Record<string, { status: 'pending' | 'sent' | 'delivered' | 'undelivered' | 'rejected' | 'expired'; error?: 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed' }>; code?: string | null; codes?: Record<string, { error: 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed' }>; to?: string | null; time?: string | null }; check?: { kind: 'header'; name: string; value: string } | { kind: 'query'; name: string; value: string } | { kind: 'basic'; user: string; password: string } | { kind: 'hmac'; header: string; prefix?: string; algorithm: 'sha1' | 'sha256' | 'sha512'; encoding: 'hex' | 'base64'; over: 'body' | 'url_and_form'; key: string } | null; answer?: { status?: number; type?: 'text/plain' | 'application/json' | 'text/xml'; body?: string } } | { kind: 'poll'; method?: 'POST' | 'PUT' | 'GET'; url: string; headers?: Record<string, string>; auth?: 'same' | { kind: 'header'; name: string; value: string } | { kind: 'basic'; user: string; password: string } | { kind: 'query'; name: string; value: string } | null; body?: { kind: 'json'; value: unknown } | { kind: 'form'; fields: Record<string, string> } | null; many?: { most: number; join?: string | null; items?: string | null } | null; reading: { list?: string | null; id?: string | null; reference?: string | null; state: string; states?: Record<string, { status: 'pending' | 'sent' | 'delivered' | 'undelivered' | 'rejected' | 'expired'; error?: 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed' }>; code?: string | null; codes?: Record<string, { error: 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed' }>; to?: string | null; time?: string | null }; firstAfterSeconds?: number; longestWaitSeconds?: number; atOnce?: number; perSecond?: number } | null }
export type Invitation = { id: string; email: string; role: 'owner' | 'developer' | 'viewer'; createdAt: string; expiresAt: string }
export type InvitationLink = { id: string; email: string; role: 'owner' | 'developer' | 'viewer'; createdAt: string; expiresAt: string; link: string | null }
export type InvitationList = { items: Invitation[]; next: string | null }
export type LedgerEntry = { id: string; kind: 'grant' | 'topUp' | 'reservation' | 'refund' | 'expiry'; amount: number; balance: number; period: string; messageId: string | null; messages: number | null; note: string | null; at: string }
export type LedgerEntryList = { items: LedgerEntry[]; next: string | null }
export type Link = { kind: 'operator' | 'member' | 'recovery' | 'email'; email: string | null; workspace: string | null; role: 'owner' | 'developer' | 'viewer' | null; needs: 'nothing' | 'new_password' | 'password' | 'sign_in'; expiresAt: string }
export type LinkSecret = { secret: string }
export type LinkUse = { secret: string; email?: string; name?: string; password?: string }
export type ListedWorkspace = { id: string; name: string; country: string; currency: string; timeZone: string; plan: 'standard' | 'enterprise'; status: 'pending' | 'active' | 'suspended'; monthlyCredit: number; rate: { transactional: number; otp: number; promotional: number }; allowedTypes: ('transactional' | 'otp' | 'promotional')[]; allowedCountries: string[] | null; templatesRequired: boolean; maxClients: number; carrierFields: Record<string, string>; balance: number; period: string; periodEndsAt: string; creditAlert: CreditAlert; createdAt: string; updatedAt: string; sentToday: number }
export type ListedWorkspaceList = { items: ListedWorkspace[]; next: string | null }
export type Listening = { until: string; isFull: boolean; missedSince: string | null; vendor: string; items: { position: number; id: string; event: 'message.status' | 'message.inbound'; body: string; createdAt: string }[] }
export type ListeningRequest = { listener: string; session: string; as: 'begin' | 'renew' | 'takeOver'; forwarded?: number[] }
export type Member = { id: string; email: string; name: string; role: 'owner' | 'developer' | 'viewer'; createdAt: string; lastSeenAt: string | null }
export type MemberChange = { role: 'owner' | 'developer' | 'viewer' }
export type MemberList = { items: Member[]; next: string | null }
export type Message = { id: string; workspaceId: string; clientId: string; to: string; from: string; text: string; type: 'transactional' | 'otp' | 'promotional'; encoding: 'GSM7' | 'UCS2'; segments: number; cost: number; charged: number; status: 'queued' | 'submitting' | 'submitted' | 'sent' | 'delivered' | 'undelivered' | 'failed' | 'rejected' | 'test'; error: '' | 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed'; attempts: number; dlr: { status: string; code: string; raw: string; at: string } | null; submittedAt: string | null; sentAt: string | null; deliveredAt: string | null; failedAt: string | null; createdAt: string; updatedAt: string }
export type MessageEvents = string
export type MessageHour = { startsAt: string; delivered: number; underWay: number; undelivered: number; failed: number }
export type MessageHours = { items: MessageHour[]; next: null; timeZone: string }
export type MessageList = { items: Message[]; next: string | null }
export type MessageTable = string
export type MessagesToCancel = { client?: string; carrier?: string; status?: 'queued'[]; olderThanSeconds?: number }
export type MessagesToFail = { client?: string; carrier?: string; status?: ('queued' | 'submitting' | 'submitted' | 'sent')[]; olderThanSeconds: number; after?: string }
export type MessagesToResend = { client?: string; carrier?: string; status: ('failed' | 'submitting' | 'submitted')[]; olderThanSeconds?: number; after?: string }
export type Month = { month: string; from: string; to: string; endsAt: string; isOver: boolean; currency: string; total: { messages: number; segments: number; cost: number; refunds: number; refunded: number; net: number }; clients: { clientId: string; name: string; messages: number; segments: number; cost: number; refunds: number; refunded: number; net: number; types: { type: 'transactional' | 'otp' | 'promotional'; messages: number; segments: number; cost: number; refunds: number; refunded: number; net: number }[] }[] }
export type MonthCsv = string
export type Named = { id: string; name: string; workspaceId: string | null }
export type NamedList = { items: Named[]; next: null }
export type NewAllowedPrefix = { prefix: string }
export type NewCarrier = { kind?: 'smpp'; name: string; binds?: number; window?: number; answerSeconds?: number; segmentsPerSecond?: number | null; defaultSender?: string | null; resendUnknown?: boolean; breakAfterUnanswered?: number | null; breakAfterRefused?: number | null; enabled?: boolean; host: string; port: number; tls?: boolean; systemId: string; password: string; systemType?: string; bindMode?: 'transceiver' | 'separate'; idFormat?: 'opaque' | 'hex' | 'decimal' | { answers: 'opaque' | 'hex' | 'decimal'; reports: 'opaque' | 'hex' | 'decimal' }; receiptsByText?: boolean; alphabet?: 'gsm' | 'latin1' | 'ascii'; longMessages?: 'udh' | 'sar' | 'payload'; sourceTon?: number | null; sourceNpi?: number | null; statusOverrides?: { answers?: Record<string, { outcome: 'accepted' | 'throttled' | 'other_carrier' | 'retryable' | 'rejected'; error?: 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed' }>; reports?: Record<string, { error: 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed' }>; states?: Record<string, { status: 'pending' | 'delivered' | 'undelivered' | 'rejected'; error?: 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed' }> }; tlsKey?: string | null; smpp?: SmppSettings }
export type NewCarrierCapture = { seconds?: number } | null
export type NewCarrierPrices = { currency: string; prices: { prefix: string; price: number }[] }
export type NewCarrierTest = { to?: string; text?: string; receiptSeconds?: number } | null
export type NewClient = { name: string; brandName: string; defaultSender?: string; webhookUrl?: string | null; requestsPerSecond?: number; testOtpCode?: string | null; restrictions?: { types?: ('transactional' | 'otp' | 'promotional')[] | null; ipAllowlist?: string[] | null; numberPrefixes?: string[] | null; dailyCap?: number | null; hourlyCapPerNumber?: number | null; pumpingGuard?: 'off' | 'monitor' | 'block'; pumpingAllowlist?: string[] | null }; mode?: 'live' | 'test' }
export type NewCreditAlert = { below: number | null }
export type NewHandsetReply = { from: string; to: string; text: string }
export type NewHttpCarrier = { kind: 'http'; name: string; binds?: number; window?: number; answerSeconds?: number; segmentsPerSecond?: number | null; defaultSender?: string | null; resendUnknown?: boolean; breakAfterUnanswered?: number | null; breakAfterRefused?: number | null; enabled?: boolean; http?: HttpDescription; preset?: string; presetValues?: Record<string, string>; secrets?: Record<string, string> }
export type NewInvitation = { email: string; role: 'owner' | 'developer' | 'viewer' }
export type NewOperatorInvitation = { email?: string } | null
export type NewOperatorToken = { name: string; expiresAt?: string | null }
export type NewOwnerToken = { name: string; role?: 'owner' | 'developer' | 'viewer'; expiresAt?: string | null }
export type NewPasskey = { id: string; name: string; response: { id: string; response: Record<string, unknown> } }
export type NewPassword = { password: string }
export type NewRoute = { country: string; prefixes?: string[]; types?: ('transactional' | 'otp' | 'promotional')[] | null; carrierId: string; priority?: number; overflow?: boolean; weight?: number }
export type NewTemplate = { name: string; type: 'transactional' | 'otp' | 'promotional'; text: string; carrierFields?: Record<string, string> }
export type NewTestOtp = { to: string }
export type NewWorkspace = { name: string; country: string; currency?: string; timeZone?: string; plan?: 'standard' | 'enterprise'; status?: 'pending' | 'active' | 'suspended'; monthlyCredit: number; rate: { transactional: number; otp: number; promotional: number }; allowedTypes?: ('transactional' | 'otp' | 'promotional')[]; allowedCountries?: string[] | null; templatesRequired?: boolean; maxClients?: number; carrierFields?: Record<string, string> }
export type Now = { at: string; smsEnabled: boolean; lanes: { lane: 'transactional' | 'otp' | 'promotional'; waiting: number; isEstimate: boolean; oldestDueAt: string | null }[]; rates: { accepted: number; segmentsAccepted: number; segmentsRejected: number; delivered: number; undelivered: number }; processes: number; carriers: { id: string; name: string; enabled: boolean; health: { state: 'working' | 'broken' | 'down' | 'off'; reason: string | null; since: string | null }; state: { number: number; mode: 'transceiver' | 'transmitter' | 'receiver'; state: 'idle' | 'connecting' | 'bound' | 'waiting'; peer: string | null; boundAt: string | null; inFlight: number; segmentsPerSecond: number; lastError: string | null; lastErrorAt: string | null }[]; unmatched: number; inDoubt: { messages: number; since: string } | null }[]; unmatchedReceipts: { count: number; latest: { id: string; carrierId: string; reference: string; state: string; receivedAt: string }[] }; failedWebhooks: { count: number; latest: { id: string; because: 'retries_exhausted' | 'rejected' | 'no_url' | 'abandoned'; client: { id: string; name: string }; workspace: { id: string; name: string }; endedAt: string }[] }; simulator: { runs: boolean; carrierId: string | null; serves: 'all' | 'some' | 'none' }; findings: Finding[] }
export type Operator = { id: string; email: string; name: string; createdAt: string; lastSeenAt: string | null }
export type OperatorInvitation = { id: string; email: string | null; createdAt: string; expiresAt: string }
export type OperatorInvitationLink = { id: string; email: string | null; createdAt: string; expiresAt: string; link: string | null }
export type OperatorInvitationList = { items: OperatorInvitation[]; next: string | null }
export type OperatorList = { items: Operator[]; next: string | null }
export type OperatorRestrictions = { types?: ('transactional' | 'otp' | 'promotional')[] | null; ipAllowlist?: string[] | null; numberPrefixes?: string[] | null; dailyCap?: number | null; hourlyCapPerNumber?: number | null; pumpingGuard?: 'off' | 'monitor' | 'block'; pumpingAllowlist?: string[] | null }
export type OwnerToken = { id: string; workspaceId: string | null; name: string; role: 'operator' | 'owner' | 'developer' | 'viewer'; createdAt: string; expiresAt: string | null; lastUsedAt: string | null; revokedAt: string | null }
export type OwnerTokenList = { items: OwnerToken[]; next: string | null }
export type OwnerTokenSecret = { id: string; token: string }
export type Passkey = { id: string; name: string; createdAt: string; lastUsedAt: string | null }
export type PasskeyAnswer = { id: string; response: { id: string; response: Record<string, unknown> } }
export type PasskeyChallenge = { id: string; options: Record<string, unknown> }
export type PasskeyList = { items: Passkey[]; next: null }
export type PasskeyMade = { id: string }
export type PersonChange = { email: string }
export type ReceiptCause = { kind: 'id_format'; idFormat: { answers: 'opaque' | 'hex' | 'decimal'; reports: 'opaque' | 'hex' | 'decimal' } } | { kind: 'other_carrier'; carrierId: string } | { kind: 'other_number' } | { kind: 'other_id'; carrierMessageId: string } | { kind: 'nothing_sent' }
export type RecoveryByMail = { email: string }
export type RecoveryCodes = { recoveryCodes: string[] }
export type RecoveryLink = { link: string | null; expiresAt: string }
export type RecoveryMailed = { mailed: true }
export type RefusedRequest = { id: string; clientId: string; method: string; route: string; status: number; code: string; milliseconds: number; at: string }
export type RefusedRequestList = { items: RefusedRequest[]; next: string | null }
export type Rejection = { reason: string }
export type Replay = { since: string }
export type Replayed = { replayed: number; more: boolean }
export type Reply = { id: string; carrierId?: string; workspaceId: string | null; clientId: string | null; from: string; to: string; text: string; inReplyTo: string | null; receivedAt: string }
export type ReplyList = { items: Reply[]; next: string | null }
export type RequestError = { method: string; route: string; status: number; code: string; requests: number; lastAt: string }
export type RequestErrors = { items: RequestError[]; next: null; since: string; requests: { answered: number; refused: number; failed: number } }
export type Restrictions = { types: ('transactional' | 'otp' | 'promotional')[] | null; ipAllowlist: string[] | null; numberPrefixes: string[] | null; dailyCap: number | null; hourlyCapPerNumber: number | null; pumpingGuard: 'off' | 'monitor' | 'block'; pumpingAllowlist: string[] | null }
export type RevealedMessage = { to: string; text: string }
export type Route = { id: string; country: string; prefixes: string[]; types: ('transactional' | 'otp' | 'promotional')[] | null; carrierId: string; priority: number; overflow: boolean; weight: number; createdAt: string }
export type RouteChange = { country?: string; prefixes?: string[]; types?: ('transactional' | 'otp' | 'promotional')[] | null; carrierId?: string; priority?: number; overflow?: boolean; weight?: number }
export type RouteList = { items: Route[]; next: string | null }
export type SecretRotation = { graceHours?: number } | null
export type Service = { smsEnabled: boolean }
export type ServiceChange = { smsEnabled: boolean }
export type Session = { id: string; createdAt: string; lastSeenAt: string; endsAt: string; address: string | null; userAgent: string | null; isCurrent: boolean }
export type SessionList = { items: Session[]; next: null }
export type SessionsEnded = { ended: number }
export type SignedIn = { signedIn: boolean; needs: 'code' | 'sign_in' | null }
export type Simulated = { runs: boolean; serves: 'all' | 'some' | 'none' }
export type SimulatorOutcome = { digits: string; does: string; status: 'delivered' | 'undelivered' | 'failed' | 'rejected'; error: string; isRefunded: boolean }
export type SimulatorOutcomeList = { items: SimulatorOutcome[]; next: null }
export type SmppCarrier = { kind: 'smpp'; id: string; name: string; binds: number; window: number; answerSeconds: number; segmentsPerSecond: number | null; defaultSender: string | null; resendUnknown: boolean; breakAfterUnanswered: number | null; breakAfterRefused: number | null; enabled: boolean; health: { state: 'working' | 'broken' | 'down' | 'off'; reason: string | null; since: string | null }; state: { number: number; mode: 'transceiver' | 'transmitter' | 'receiver'; state: 'idle' | 'connecting' | 'bound' | 'waiting'; peer: string | null; boundAt: string | null; inFlight: number; segmentsPerSecond: number; lastError: string | null; lastErrorAt: string | null }[]; createdAt: string; updatedAt: string; host: string; port: number; tls: boolean; systemId: string; systemType: string; bindMode: 'transceiver' | 'separate'; idFormat: 'opaque' | 'hex' | 'decimal' | { answers: 'opaque' | 'hex' | 'decimal'; reports: 'opaque' | 'hex' | 'decimal' }; receiptsByText: boolean; alphabet: 'gsm' | 'latin1' | 'ascii'; longMessages: 'udh' | 'sar' | 'payload'; sourceTon: number | null; sourceNpi: number | null; statusOverrides: { answers: Record<string, { outcome: 'accepted' | 'throttled' | 'other_carrier' | 'retryable' | 'rejected'; error?: 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed' }>; reports: Record<string, { error: 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed' }>; states: Record<string, { status: 'pending' | 'delivered' | 'undelivered' | 'rejected'; error?: 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed' }> }; smpp: SmppSettingsOfCarrier; hasTlsKey: boolean }
export type SmppSettings = { otherHosts?: { host: string; port: number }[]; tlsServerName?: string | null; tlsCa?: string | null; tlsCertificate?: string | null; connectSeconds?: number; bindSeconds?: number; enquireSeconds?: number; enquireAnswerSeconds?: number; addressTon?: number; addressNpi?: number; addressRange?: string; receivers?: number; serviceType?: string; destinationFormat?: 'international' | 'plus' | 'zeros' | 'national'; destinationTon?: number | null; destinationNpi?: number | null; allowedSenders?: string[]; senderRewrites?: Record<string, string>; senderTypes?: { number: { ton: number | null; npi: number | null }; shortCode: { ton: number | null; npi: number | null }; word: { ton: number | null; npi: number | null } }; dataCodings?: { gsm: number; latin1: number; ascii: number; ucs2: number }; fallback?: 'ucs2' | 'nearest'; referenceBits?: 8 | 16; validity?: 'relative' | 'absolute' | 'none'; validityMaxSeconds?: number | null; receipts?: 'each' | 'one' | 'none'; priorities?: { otp: number; transactional: number; promotional: number }; tlvs?: { tag: string; form?: 'text' | 'cString' | 'uint8' | 'uint16' | 'uint32' | 'hex'; field?: string | null; value?: string | null }[] }
export type SmppSettingsOfCarrier = { otherHosts: { host: string; port: number }[]; tlsServerName: string | null; tlsCa: string | null; tlsCertificate: string | null; connectSeconds: number; bindSeconds: number; enquireSeconds: number; enquireAnswerSeconds: number; addressTon: number; addressNpi: number; addressRange: string; receivers: number; serviceType: string; destinationFormat: 'international' | 'plus' | 'zeros' | 'national'; destinationTon: number | null; destinationNpi: number | null; allowedSenders: string[]; senderRewrites: Record<string, string>; senderTypes: { number: { ton: number | null; npi: number | null }; shortCode: { ton: number | null; npi: number | null }; word: { ton: number | null; npi: number | null } }; dataCodings: { gsm: number; latin1: number; ascii: number; ucs2: number }; fallback: 'ucs2' | 'nearest'; referenceBits: 8 | 16; validity: 'relative' | 'absolute' | 'none'; validityMaxSeconds: number | null; receipts: 'each' | 'one' | 'none'; priorities: { otp: number; transactional: number; promotional: number }; tlvs: { tag: string; form: 'text' | 'cString' | 'uint8' | 'uint16' | 'uint32' | 'hex'; field: string | null; value: string | null }[] }
export type Start = { steps: { step: 'key' | 'message' | 'code' | 'webhook'; doneAt: string | null }[]; simulator: Simulated }
export type Template = { id: string; workspaceId: string; name: string; type: 'transactional' | 'otp' | 'promotional'; text: string; variables: string[]; status: 'pending' | 'approved' | 'rejected'; reason: string | null; carrierFields: Record<string, string>; createdAt: string; reviewedAt: string | null }
export type TemplateList = { items: Template[]; next: string | null }
export type TestOtp = { messageId: string; expiresInSeconds: number }
export type TestOtpToVerify = { to: string; code: string }
export type TestOtpVerification = { verified: boolean; reason?: 'invalid_code' | 'too_many_attempts' | 'no_active_otp' }
export type TextMatch = { encoding: 'GSM7' | 'UCS2'; segments: number; fits: boolean; cost: number; isTemplateRequired: boolean; template: { id: string; name: string } | null; nearest: { id: string; name: string; status: 'pending' | 'approved' | 'rejected'; reason: string | null; difference: { position: number; expected: string; found: string } | null } | null }
export type TextToMatch = { text: string; type?: 'transactional' | 'otp' | 'promotional' }
export type Timeline = { message: Message; waitsUntil: string | null; waiting: { for: 'quiet_hours' | 'retry' | 'route' | 'network_down' | 'network_broken' | 'turn' | 'answer'; since: string; until: string | null; endsAt: string; reason?: string | null } | null; timeline: ({ at: string; what: 'status'; status: 'queued' | 'submitting' | 'submitted' | 'sent' | 'delivered' | 'undelivered' | 'failed' | 'rejected' | 'test'; error?: '' | 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed' } | { at: string; what: 'submission'; submission: number; segment: number; ofSegments: number; carrier?: string | null; from?: string } | { at: string; what: 'answer'; submission: number; segment: number; ofSegments: number; carrier?: string | null; outcome: 'open' | 'accepted' | 'throttled' | 'other_carrier' | 'unwritten' | 'unknown' | 'retryable' | 'rejected'; error?: '' | 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed'; commandStatus?: number | null; carrierMessageId?: string | null; carrierCost?: number | null } | { at: string; what: 'report'; submission: number; segment: number; status: 'pending' | 'delivered' | 'undelivered' | 'rejected'; error: '' | 'network_unavailable' | 'delivery_timeout' | 'carrier_rejected' | 'invalid_number' | 'delivery_failed'; state?: string; code?: string; raw?: string } | { at: string; what: 'charge'; kind: 'grant' | 'topUp' | 'reservation' | 'refund' | 'expiry'; amount: number; period: string } | { at: string; what: 'event'; id: string; status: 'queued' | 'sent' | 'delivered' | 'undelivered' | 'failed'; state: 'pending' | 'delivered' | 'failed' } | { at: string; what: 'attempt'; eventId: string; milliseconds: number; statusCode: number | null; failure: string | null })[]; carriers?: { segments: number; cost: number; margin: number } }
export type TopUp = { amount: number; note?: string | null }
export type ToppedUp = { balance: number }
export type TotpCode = { code: string }
export type TotpSecret = { secret: string; uri: string }
export type TrafficEvents = string
export type TriggeredEvent = { messageId: string; to: string }
export type UnmatchedReceipt = { id: string; reference: string; to: string; state: string; code: string; raw: string; receivedAt: string; cause: ReceiptCause }
export type UnmatchedReceiptList = { items: UnmatchedReceipt[]; next: string | null }
export type Usage = { day: string; clientId: string; type: 'transactional' | 'otp' | 'promotional'; messages: number; segments: number; cost: number; refunds: number; refunded: number; net: number; carriers?: { segments: number; cost: number; margin: number } }
export type UsageList = { from: string; to: string; items: Usage[]; next: null }
export type WaysToSignIn = { provider: string | null; mail: boolean }
export type WebhookDelivery = { id: string; clientId: string; event: 'message.status' | 'message.inbound'; messageId: string | null; status: 'queued' | 'sent' | 'delivered' | 'undelivered' | 'failed' | null; state: 'pending' | 'delivered' | 'failed'; failureReason: 'retries_exhausted' | 'rejected' | 'no_url' | 'abandoned' | null; nextAttemptAt: string | null; createdAt: string; endedAt: string | null; attemptCount: number; latest: { attemptedAt: string; statusCode: number | null; error: string | null } | null }
export type WebhookDeliveryList = { items: WebhookDelivery[]; next: string | null }
export type WholeCarrierCapture = { id: string; carrierId: string; startedAt: string; endsAt: string; frames: number; exchanged: { at: string; bind: number; exchange: number | null; outgoing: boolean; decoded: Record<string, unknown> }[] }
export type WholeWebhookDelivery = { id: string; clientId: string; event: 'message.status' | 'message.inbound'; messageId: string | null; status: 'queued' | 'sent' | 'delivered' | 'undelivered' | 'failed' | null; state: 'pending' | 'delivered' | 'failed'; failureReason: 'retries_exhausted' | 'rejected' | 'no_url' | 'abandoned' | null; nextAttemptAt: string | null; createdAt: string; endedAt: string | null; attemptCount: number; latest: { attemptedAt: string; statusCode: number | null; error: string | null } | null; body: string; attempts: { number: number; url: string; attemptedAt: string; milliseconds: number; statusCode: number | null; answer: string | null; error: string | null }[] }
export type Workspace = { id: string; name: string; country: string; currency: string; timeZone: string; plan: 'standard' | 'enterprise'; status: 'pending' | 'active' | 'suspended'; monthlyCredit: number; rate: { transactional: number; otp: number; promotional: number }; allowedTypes: ('transactional' | 'otp' | 'promotional')[]; allowedCountries: string[] | null; templatesRequired: boolean; maxClients: number; carrierFields: Record<string, string>; balance: number; period: string; periodEndsAt: string; creditAlert: CreditAlert; createdAt: string; updatedAt: string }
export type WorkspaceAuditEntry = { id: string; actor: string; by: { kind: 'person' | 'token'; id: string; name: string; email: string | null } | null; action: string; subject: string; details: Record<string, unknown>; address: string | null; requestId: string | null; at: string }
export type WorkspaceAuditEntryList = { items: WorkspaceAuditEntry[]; next: string | null }
export type WorkspaceChange = { name?: string; plan?: 'standard' | 'enterprise'; status?: 'pending' | 'active' | 'suspended'; monthlyCredit?: number; rate?: { transactional?: number; otp?: number; promotional?: number }; allowedTypes?: ('transactional' | 'otp' | 'promotional')[]; allowedCountries?: string[] | null; templatesRequired?: boolean; maxClients?: number; carrierFields?: Record<string, string> }

/** What each call takes and answers. */
export interface Calls {
  addAllowedPrefix: { params: { id: string }; query: Record<never, never>; body: NewAllowedPrefix; answer: AllowedPrefix }
  addPasskey: { params: Record<never, never>; query: Record<never, never>; body: NewPasskey; answer: PasskeyMade }
  advanceClock: { params: Record<never, never>; query: Record<never, never>; body: ClockStep; answer: Clock }
  approveTemplate: { params: { id: string }; query: Record<never, never>; body: undefined; answer: Template }
  askForNewPasskey: { params: Record<never, never>; query: Record<never, never>; body: undefined; answer: PasskeyChallenge }
  askForPasskey: { params: Record<never, never>; query: Record<never, never>; body: undefined; answer: PasskeyChallenge }
  attributeReply: { params: { id: string }; query: Record<never, never>; body: Attribution; answer: Reply }
  cancelMessage: { params: { id: string }; query: Record<never, never>; body: undefined; answer: Message }
  cancelMessages: { params: { id: string }; query: Record<never, never>; body: MessagesToCancel; answer: ActedOnMessages }
  captureCarrier: { params: { id: string }; query: Record<never, never>; body: NewCarrierCapture; answer: CarrierCapture }
  changeAccount: { params: Record<never, never>; query: Record<never, never>; body: AccountChange; answer: Account }
  changeCarrier: { params: { id: string }; query: Record<never, never>; body: CarrierChange; answer: Carrier }
  changeClient: { params: { id: string }; query: Record<never, never>; body: ClientChange; answer: Client }
  changeMember: { params: { id: string; personId: string }; query: Record<never, never>; body: MemberChange; answer: null }
  changePassword: { params: Record<never, never>; query: Record<never, never>; body: NewPassword; answer: null }
  changePerson: { params: { personId: string }; query: Record<never, never>; body: PersonChange; answer: null }
  changeRoute: { params: { id: string }; query: Record<never, never>; body: RouteChange; answer: Route }
  changeService: { params: Record<never, never>; query: Record<never, never>; body: ServiceChange; answer: Service }
  changeTemplate: { params: { id: string }; query: Record<never, never>; body: CarrierFieldsChange; answer: Template }
  changeWorkspace: { params: { id: string }; query: Record<never, never>; body: WorkspaceChange; answer: Workspace }
  checkHealth: { params: Record<never, never>; query: Record<never, never>; body: undefined; answer: HealthCheck }
  comeFromProvider: { params: Record<never, never>; query: Record<never, never>; body: undefined; answer: never }
  countMessagesByHour: { params: { id: string }; query: { hours?: number }; body: undefined; answer: MessageHours }
  countRequestErrors: { params: { id: string }; query: { hours?: number }; body: undefined; answer: RequestErrors }
  createCarrier: { params: Record<never, never>; query: Record<never, never>; body: AnyNewCarrier; answer: Carrier }
  createClient: { params: { id: string }; query: Record<never, never>; body: NewClient; answer: ClientWithSecrets }
  createOperatorToken: { params: Record<never, never>; query: Record<never, never>; body: NewOperatorToken; answer: OwnerTokenSecret }
  createOwnerToken: { params: { id: string }; query: Record<never, never>; body: NewOwnerToken; answer: OwnerTokenSecret }
  createRoute: { params: Record<never, never>; query: Record<never, never>; body: NewRoute; answer: Route }
  createWorkspace: { params: Record<never, never>; query: Record<never, never>; body: NewWorkspace; answer: Workspace }
  disableClient: { params: { id: string }; query: Record<never, never>; body: undefined; answer: Client }
  enableClient: { params: { id: string }; query: Record<never, never>; body: undefined; answer: Client }
  endListening: { params: { id: string; session: string }; query: Record<never, never>; body: undefined; answer: null }
  endOtherSessions: { params: Record<never, never>; query: Record<never, never>; body: undefined; answer: SessionsEnded }
  endSession: { params: { sessionId: string }; query: Record<never, never>; body: undefined; answer: null }
  exportMessages: { params: { id: string }; query: { client?: string; status?: ('queued' | 'submitting' | 'submitted' | 'sent' | 'delivered' | 'undelivered' | 'failed' | 'rejected' | 'test')[]; type?: 'transactional' | 'otp' | 'promotional'; to?: string; search?: string; 'from-date'?: string; 'to-date'?: string }; body: undefined; answer: unknown }
  failMessage: { params: { id: string }; query: Record<never, never>; body: undefined; answer: Message }
  failMessages: { params: { id: string }; query: Record<never, never>; body: MessagesToFail; answer: ActedOnMessages }
  findNamed: { params: Record<never, never>; query: { kind: 'workspace' | 'client' | 'template' | 'carrier'; name: string; workspace?: string }; body: undefined; answer: NamedList }
  finishTotp: { params: Record<never, never>; query: Record<never, never>; body: TotpCode; answer: RecoveryCodes }
  getAccount: { params: Record<never, never>; query: Record<never, never>; body: undefined; answer: Account }
  getCarrier: { params: { id: string }; query: Record<never, never>; body: undefined; answer: Carrier }
  getCarrierCallback: { params: { id: string }; query: Record<never, never>; body: CarrierCallbackRequest; answer: CarrierCallback }
  getCarrierCapture: { params: { id: string; captureId: string }; query: Record<never, never>; body: undefined; answer: WholeCarrierCapture }
  getCarrierCaptureFile: { params: { id: string; captureId: string }; query: Record<never, never>; body: undefined; answer: CarrierCaptureFile }
  getCarrierFigures: { params: { id: string }; query: Record<never, never>; body: undefined; answer: CarrierFigures }
  getCarrierPrices: { params: { id: string }; query: Record<never, never>; body: undefined; answer: CarrierPrices }
  getClient: { params: { id: string }; query: Record<never, never>; body: undefined; answer: Client }
  getCodeFunnel: { params: { id: string }; query: { from?: string; to?: string }; body: undefined; answer: CodeFunnel }
  getCodesByPrefix: { params: { id: string }; query: { from?: string; to?: string }; body: undefined; answer: CodePrefixes }
  getCountry: { params: { code: string }; query: Record<never, never>; body: undefined; answer: Country }
  getLink: { params: Record<never, never>; query: Record<never, never>; body: LinkSecret; answer: Link }
  getMonth: { params: { id: string; month: string }; query: Record<never, never>; body: undefined; answer: Month }
  getMonthCsv: { params: { id: string; month: string }; query: Record<never, never>; body: undefined; answer: unknown }
  getNow: { params: Record<never, never>; query: Record<never, never>; body: undefined; answer: Now }
  getService: { params: Record<never, never>; query: Record<never, never>; body: undefined; answer: Service }
  getStart: { params: { id: string }; query: Record<never, never>; body: undefined; answer: Start }
  getTimeline: { params: { id: string }; query: Record<never, never>; body: undefined; answer: Timeline }
  getUsage: { params: { id: string }; query: { from?: string; to?: string; by?: 'day' }; body: undefined; answer: UsageList }
  getWaysToSignIn: { params: Record<never, never>; query: Record<never, never>; body: undefined; answer: WaysToSignIn }
  getWebhookDelivery: { params: { id: string }; query: Record<never, never>; body: undefined; answer: WholeWebhookDelivery }
  getWorkspace: { params: { id: string }; query: Record<never, never>; body: undefined; answer: Workspace }
  goToProvider: { params: Record<never, never>; query: Record<never, never>; body: undefined; answer: never }
  inviteMember: { params: { id: string }; query: Record<never, never>; body: NewInvitation; answer: InvitationLink }
  inviteOperator: { params: Record<never, never>; query: Record<never, never>; body: NewOperatorInvitation; answer: OperatorInvitationLink }
  listAllowedPrefixes: { params: { id: string }; query: Record<never, never>; body: undefined; answer: AllowedPrefixList }
  listAuditLog: { params: Record<never, never>; query: { cursor?: string; limit?: number; action?: string; by?: string }; body: undefined; answer: AuditEntryList }
  listCarrierCaptures: { params: { id: string }; query: Record<never, never>; body: undefined; answer: CarrierCaptureList }
  listCarrierPresets: { params: Record<never, never>; query: Record<never, never>; body: undefined; answer: CarrierPresetList }
  listCarrierTests: { params: { id: string }; query: Record<never, never>; body: undefined; answer: CarrierTestList }
  listCarriers: { params: Record<never, never>; query: { cursor?: string; limit?: number }; body: undefined; answer: CarrierList }
  listClientFraudEvents: { params: { id: string }; query: Record<never, never>; body: undefined; answer: ClientFraudEventList }
  listClients: { params: { id: string }; query: { cursor?: string; limit?: number }; body: undefined; answer: ClientList }
  listCountries: { params: Record<never, never>; query: Record<never, never>; body: undefined; answer: CountryList }
  listFraudEvents: { params: { id: string }; query: { cursor?: string; limit?: number }; body: undefined; answer: FraudEventList }
  listHandsetMessages: { params: Record<never, never>; query: { number?: string }; body: undefined; answer: HandsetMessageList }
  listInvitations: { params: { id: string }; query: { cursor?: string; limit?: number }; body: undefined; answer: InvitationList }
  listLedger: { params: { id: string }; query: { cursor?: string; limit?: number; kind?: ('grant' | 'topUp' | 'reservation' | 'refund' | 'expiry')[]; from?: string; to?: string }; body: undefined; answer: LedgerEntryList }
  listMembers: { params: { id: string }; query: { cursor?: string; limit?: number }; body: undefined; answer: MemberList }
  listMessages: { params: { id: string }; query: { cursor?: string; limit?: number; client?: string; status?: ('queued' | 'submitting' | 'submitted' | 'sent' | 'delivered' | 'undelivered' | 'failed' | 'rejected' | 'test')[]; type?: 'transactional' | 'otp' | 'promotional'; to?: string; search?: string; 'from-date'?: string; 'to-date'?: string }; body: undefined; answer: MessageList }
  listOperatorInvitations: { params: Record<never, never>; query: { cursor?: string; limit?: number }; body: undefined; answer: OperatorInvitationList }
  listOperatorTokens: { params: Record<never, never>; query: { cursor?: string; limit?: number }; body: undefined; answer: OwnerTokenList }
  listOperators: { params: Record<never, never>; query: { cursor?: string; limit?: number }; body: undefined; answer: OperatorList }
  listOwnerTokens: { params: { id: string }; query: { cursor?: string; limit?: number }; body: undefined; answer: OwnerTokenList }
  listPasskeys: { params: Record<never, never>; query: Record<never, never>; body: undefined; answer: PasskeyList }
  listRefusedRequests: { params: { id: string }; query: { cursor?: string; limit?: number; client?: string; code?: string }; body: undefined; answer: RefusedRequestList }
  listReplies: { params: Record<never, never>; query: { cursor?: string; limit?: number; client?: string; workspace?: string; unattributed?: 'true' | 'false' }; body: undefined; answer: ReplyList }
  listRoutes: { params: Record<never, never>; query: { cursor?: string; limit?: number }; body: undefined; answer: RouteList }
  listSessions: { params: Record<never, never>; query: Record<never, never>; body: undefined; answer: SessionList }
  listSimulatorOutcomes: { params: Record<never, never>; query: Record<never, never>; body: undefined; answer: SimulatorOutcomeList }
  listTemplates: { params: Record<never, never>; query: { cursor?: string; limit?: number; status?: 'pending' | 'approved' | 'rejected' }; body: undefined; answer: TemplateList }
  listUnmatchedReceipts: { params: { id: string }; query: { cursor?: string; limit?: number }; body: undefined; answer: UnmatchedReceiptList }
  listWebhookDeliveries: { params: { id: string }; query: { cursor?: string; limit?: number; state?: 'pending' | 'delivered' | 'failed'; event?: 'message.status' | 'message.inbound'; message?: string; since?: string; until?: string }; body: undefined; answer: WebhookDeliveryList }
  listWorkspaceAuditLog: { params: { id: string }; query: { cursor?: string; limit?: number; action?: string; by?: string }; body: undefined; answer: WorkspaceAuditEntryList }
  listWorkspaceHandsetMessages: { params: { id: string }; query: { number?: string }; body: undefined; answer: HandsetMessageList }
  listWorkspaceReplies: { params: { id: string }; query: { cursor?: string; limit?: number; client?: string }; body: undefined; answer: ReplyList }
  listWorkspaceTemplates: { params: { id: string }; query: { cursor?: string; limit?: number; status?: 'pending' | 'approved' | 'rejected' }; body: undefined; answer: TemplateList }
  listWorkspaceWebhookDeliveries: { params: { id: string }; query: { cursor?: string; limit?: number; state?: 'pending' | 'delivered' | 'failed'; event?: 'message.status' | 'message.inbound'; message?: string; since?: string; until?: string; client?: string }; body: undefined; answer: WebhookDeliveryList }
  listWorkspaces: { params: Record<never, never>; query: { cursor?: string; limit?: number; name?: string; status?: 'pending' | 'active' | 'suspended' }; body: undefined; answer: ListedWorkspaceList }
  listen: { params: { id: string }; query: Record<never, never>; body: ListeningRequest; answer: Listening }
  matchTemplates: { params: { id: string }; query: Record<never, never>; body: TextToMatch; answer: TextMatch }
  putCarrierPrices: { params: { id: string }; query: Record<never, never>; body: NewCarrierPrices; answer: CarrierPrices }
  putCountry: { params: { code: string }; query: Record<never, never>; body: CountryChange; answer: Country }
  recoverByMail: { params: Record<never, never>; query: Record<never, never>; body: RecoveryByMail; answer: RecoveryMailed }
  recoverMember: { params: { id: string; personId: string }; query: Record<never, never>; body: undefined; answer: RecoveryLink }
  recoverPerson: { params: { personId: string }; query: Record<never, never>; body: undefined; answer: RecoveryLink }
  rejectTemplate: { params: { id: string }; query: Record<never, never>; body: Rejection; answer: Template }
  removeAllowedPrefix: { params: { id: string; prefix: string }; query: Record<never, never>; body: undefined; answer: null }
  removeCarrier: { params: { id: string }; query: Record<never, never>; body: undefined; answer: null }
  removeCountry: { params: { code: string }; query: Record<never, never>; body: undefined; answer: null }
  removeMember: { params: { id: string; personId: string }; query: Record<never, never>; body: undefined; answer: null }
  removeOperator: { params: { personId: string }; query: Record<never, never>; body: undefined; answer: null }
  removePasskey: { params: { passkeyId: string }; query: Record<never, never>; body: undefined; answer: null }
  removeRoute: { params: { id: string }; query: Record<never, never>; body: undefined; answer: null }
  removeTotp: { params: Record<never, never>; query: Record<never, never>; body: undefined; answer: null }
  replayWebhookDeliveries: { params: { id: string }; query: Record<never, never>; body: Replay; answer: Replayed }
  resendMessage: { params: { id: string }; query: Record<never, never>; body: undefined; answer: Message }
  resendMessages: { params: { id: string }; query: Record<never, never>; body: MessagesToResend; answer: ActedOnMessages }
  resendWebhookDelivery: { params: { id: string }; query: Record<never, never>; body: undefined; answer: WebhookDelivery }
  revealMessage: { params: { id: string }; query: Record<never, never>; body: undefined; answer: RevealedMessage }
  revokeInvitation: { params: { id: string; invitationId: string }; query: Record<never, never>; body: undefined; answer: null }
  revokeOperatorInvitation: { params: { invitationId: string }; query: Record<never, never>; body: undefined; answer: null }
  revokeOperatorToken: { params: { tokenId: string }; query: Record<never, never>; body: undefined; answer: null }
  revokeOwnerToken: { params: { id: string; tokenId: string }; query: Record<never, never>; body: undefined; answer: null }
  rotateApiKey: { params: { id: string }; query: Record<never, never>; body: undefined; answer: ClientWithApiKey }
  rotateWebhookSecret: { params: { id: string }; query: Record<never, never>; body: SecretRotation; answer: ClientWithWebhookSecret }
  sendTestEvent: { params: { id: string }; query: Record<never, never>; body: undefined; answer: WebhookDelivery }
  sendTestOtp: { params: { id: string }; query: Record<never, never>; body: NewTestOtp; answer: TestOtp }
  setCreditAlert: { params: { id: string }; query: Record<never, never>; body: NewCreditAlert; answer: Workspace }
  signIn: { params: Record<never, never>; query: Record<never, never>; body: Credentials; answer: SignedIn }
  signInAgain: { params: Record<never, never>; query: Record<never, never>; body: CredentialsAgain; answer: FreshSignIn }
  signInAgainByPasskey: { params: Record<never, never>; query: Record<never, never>; body: PasskeyAnswer; answer: FreshSignIn }
  signInByPasskey: { params: Record<never, never>; query: Record<never, never>; body: PasskeyAnswer; answer: SignedIn }
  signOut: { params: Record<never, never>; query: Record<never, never>; body: undefined; answer: null }
  startTotp: { params: Record<never, never>; query: Record<never, never>; body: undefined; answer: TotpSecret }
  submitTemplate: { params: { id: string }; query: Record<never, never>; body: NewTemplate; answer: Template }
  testCarrier: { params: { id: string }; query: Record<never, never>; body: NewCarrierTest; answer: CarrierTest }
  topUp: { params: { id: string }; query: Record<never, never>; body: TopUp; answer: ToppedUp }
  triggerEvent: { params: { id: string }; query: Record<never, never>; body: EventToTrigger; answer: TriggeredEvent }
  useLink: { params: Record<never, never>; query: Record<never, never>; body: LinkUse; answer: SignedIn }
  verifyTestOtp: { params: { id: string }; query: Record<never, never>; body: TestOtpToVerify; answer: TestOtpVerification }
  watchMessages: { params: { id: string }; query: Record<never, never>; body: undefined; answer: unknown }
  watchTraffic: { params: Record<never, never>; query: Record<never, never>; body: undefined; answer: unknown }
  whoami: { params: Record<never, never>; query: Record<never, never>; body: undefined; answer: Caller }
  writeHandsetReply: { params: Record<never, never>; query: Record<never, never>; body: NewHandsetReply; answer: HandsetReplyWritten }
  writeWorkspaceHandsetReply: { params: { id: string }; query: Record<never, never>; body: NewHandsetReply; answer: HandsetReplyWritten }
}

/** Where each call is, and for whom. */
export const CALLS: { readonly [Name in keyof Calls]: readonly [method: string, path: string, roles: string] } = {
  addAllowedPrefix: ['POST', '/clients/{id}/pumping-allowlist', 'operator owner developer'],
  addPasskey: ['POST', '/account/passkeys', 'operator owner developer viewer'],
  advanceClock: ['POST', '/clock/advance', 'operator'],
  approveTemplate: ['POST', '/templates/{id}/approve', 'operator'],
  askForNewPasskey: ['POST', '/account/passkeys/options', 'operator owner developer viewer'],
  askForPasskey: ['POST', '/sign-in/passkey/options', 'anybody'],
  attributeReply: ['POST', '/inbound/{id}/attribute', 'operator'],
  cancelMessage: ['POST', '/messages/{id}/cancel', 'operator owner'],
  cancelMessages: ['POST', '/workspaces/{id}/messages/cancel', 'operator owner'],
  captureCarrier: ['POST', '/carriers/{id}/captures', 'operator'],
  changeAccount: ['PATCH', '/account', 'operator owner developer viewer'],
  changeCarrier: ['PATCH', '/carriers/{id}', 'operator'],
  changeClient: ['PATCH', '/clients/{id}', 'operator owner developer'],
  changeMember: ['PATCH', '/workspaces/{id}/members/{personId}', 'operator owner'],
  changePassword: ['PUT', '/account/password', 'operator owner developer viewer'],
  changePerson: ['PATCH', '/people/{personId}', 'operator'],
  changeRoute: ['PATCH', '/routes/{id}', 'operator'],
  changeService: ['PATCH', '/service', 'operator'],
  changeTemplate: ['PATCH', '/templates/{id}', 'operator'],
  changeWorkspace: ['PATCH', '/workspaces/{id}', 'operator'],
  checkHealth: ['GET', '/doctor', 'operator'],
  comeFromProvider: ['GET', '/sign-in/provider/back', 'anybody'],
  countMessagesByHour: ['GET', '/workspaces/{id}/messages/by-hour', 'operator owner developer viewer'],
  countRequestErrors: ['GET', '/workspaces/{id}/requests/errors', 'operator owner developer viewer'],
  createCarrier: ['POST', '/carriers', 'operator'],
  createClient: ['POST', '/workspaces/{id}/clients', 'operator owner developer'],
  createOperatorToken: ['POST', '/operators/tokens', 'operator'],
  createOwnerToken: ['POST', '/workspaces/{id}/owner-tokens', 'operator owner'],
  createRoute: ['POST', '/routes', 'operator'],
  createWorkspace: ['POST', '/workspaces', 'operator'],
  disableClient: ['POST', '/clients/{id}/disable', 'operator owner developer'],
  enableClient: ['POST', '/clients/{id}/enable', 'operator owner developer'],
  endListening: ['DELETE', '/clients/{id}/listening/{session}', 'operator owner developer'],
  endOtherSessions: ['DELETE', '/sessions', 'operator owner developer viewer'],
  endSession: ['DELETE', '/sessions/{sessionId}', 'operator owner developer viewer'],
  exportMessages: ['GET', '/workspaces/{id}/messages.csv', 'operator owner developer viewer'],
  failMessage: ['POST', '/messages/{id}/fail', 'operator'],
  failMessages: ['POST', '/workspaces/{id}/messages/fail', 'operator'],
  findNamed: ['GET', '/names', 'operator owner developer viewer'],
  finishTotp: ['POST', '/account/totp/confirm', 'operator owner developer viewer'],
  getAccount: ['GET', '/account', 'operator owner developer viewer'],
  getCarrier: ['GET', '/carriers/{id}', 'operator'],
  getCarrierCallback: ['POST', '/carriers/{id}/callback', 'operator'],
  getCarrierCapture: ['GET', '/carriers/{id}/captures/{captureId}', 'operator'],
  getCarrierCaptureFile: ['GET', '/carriers/{id}/captures/{captureId}/pcap', 'operator'],
  getCarrierFigures: ['GET', '/carriers/{id}/figures', 'operator'],
  getCarrierPrices: ['GET', '/carriers/{id}/prices', 'operator'],
  getClient: ['GET', '/clients/{id}', 'operator owner developer viewer'],
  getCodeFunnel: ['GET', '/workspaces/{id}/codes/funnel', 'operator owner developer viewer'],
  getCodesByPrefix: ['GET', '/workspaces/{id}/codes/by-prefix', 'operator owner developer viewer'],
  getCountry: ['GET', '/countries/{code}', 'operator'],
  getLink: ['POST', '/links/view', 'anybody'],
  getMonth: ['GET', '/workspaces/{id}/months/{month}', 'operator owner developer viewer'],
  getMonthCsv: ['GET', '/workspaces/{id}/months/{month}.csv', 'operator owner developer viewer'],
  getNow: ['GET', '/now', 'operator'],
  getService: ['GET', '/service', 'operator'],
  getStart: ['GET', '/workspaces/{id}/start', 'operator owner developer viewer'],
  getTimeline: ['GET', '/messages/{id}/timeline', 'operator owner developer viewer'],
  getUsage: ['GET', '/workspaces/{id}/usage', 'operator owner developer viewer'],
  getWaysToSignIn: ['GET', '/sign-in', 'anybody'],
  getWebhookDelivery: ['GET', '/webhook-deliveries/{id}', 'operator owner developer'],
  getWorkspace: ['GET', '/workspaces/{id}', 'operator owner developer viewer'],
  goToProvider: ['GET', '/sign-in/provider', 'anybody'],
  inviteMember: ['POST', '/workspaces/{id}/invitations', 'operator owner'],
  inviteOperator: ['POST', '/operators/invitations', 'operator'],
  listAllowedPrefixes: ['GET', '/clients/{id}/pumping-allowlist', 'operator owner developer'],
  listAuditLog: ['GET', '/audit-log', 'operator'],
  listCarrierCaptures: ['GET', '/carriers/{id}/captures', 'operator'],
  listCarrierPresets: ['GET', '/carrier-presets', 'operator'],
  listCarrierTests: ['GET', '/carriers/{id}/tests', 'operator'],
  listCarriers: ['GET', '/carriers', 'operator'],
  listClientFraudEvents: ['GET', '/clients/{id}/fraud-events', 'operator owner developer viewer'],
  listClients: ['GET', '/workspaces/{id}/clients', 'operator owner developer viewer'],
  listCountries: ['GET', '/countries', 'operator'],
  listFraudEvents: ['GET', '/workspaces/{id}/codes/fraud-events', 'operator owner developer viewer'],
  listHandsetMessages: ['GET', '/simulator/messages', 'operator'],
  listInvitations: ['GET', '/workspaces/{id}/invitations', 'operator owner'],
  listLedger: ['GET', '/workspaces/{id}/ledger', 'operator owner'],
  listMembers: ['GET', '/workspaces/{id}/members', 'operator owner'],
  listMessages: ['GET', '/workspaces/{id}/messages', 'operator owner developer viewer'],
  listOperatorInvitations: ['GET', '/operators/invitations', 'operator'],
  listOperatorTokens: ['GET', '/operators/tokens', 'operator'],
  listOperators: ['GET', '/operators', 'operator'],
  listOwnerTokens: ['GET', '/workspaces/{id}/owner-tokens', 'operator owner'],
  listPasskeys: ['GET', '/account/passkeys', 'operator owner developer viewer'],
  listRefusedRequests: ['GET', '/workspaces/{id}/requests', 'operator owner developer viewer'],
  listReplies: ['GET', '/inbound', 'operator'],
  listRoutes: ['GET', '/routes', 'operator'],
  listSessions: ['GET', '/sessions', 'operator owner developer viewer'],
  listSimulatorOutcomes: ['GET', '/simulator/outcomes', 'operator owner developer viewer'],
  listTemplates: ['GET', '/templates', 'operator'],
  listUnmatchedReceipts: ['GET', '/carriers/{id}/receipts', 'operator'],
  listWebhookDeliveries: ['GET', '/clients/{id}/webhook-deliveries', 'operator owner developer viewer'],
  listWorkspaceAuditLog: ['GET', '/workspaces/{id}/audit-log', 'operator owner'],
  listWorkspaceHandsetMessages: ['GET', '/workspaces/{id}/simulator/messages', 'operator owner developer'],
  listWorkspaceReplies: ['GET', '/workspaces/{id}/inbound', 'operator owner developer viewer'],
  listWorkspaceTemplates: ['GET', '/workspaces/{id}/templates', 'operator owner developer viewer'],
  listWorkspaceWebhookDeliveries: ['GET', '/workspaces/{id}/webhook-deliveries', 'operator owner developer viewer'],
  listWorkspaces: ['GET', '/workspaces', 'operator'],
  listen: ['POST', '/clients/{id}/listening', 'operator owner developer'],
  matchTemplates: ['POST', '/workspaces/{id}/templates/match', 'operator owner developer viewer'],
  putCarrierPrices: ['PUT', '/carriers/{id}/prices', 'operator'],
  putCountry: ['PUT', '/countries/{code}', 'operator'],
  recoverByMail: ['POST', '/recovery', 'anybody'],
  recoverMember: ['POST', '/workspaces/{id}/members/{personId}/recovery', 'operator owner'],
  recoverPerson: ['POST', '/people/{personId}/recovery', 'operator'],
  rejectTemplate: ['POST', '/templates/{id}/reject', 'operator'],
  removeAllowedPrefix: ['DELETE', '/clients/{id}/pumping-allowlist/{prefix}', 'operator owner developer'],
  removeCarrier: ['DELETE', '/carriers/{id}', 'operator'],
  removeCountry: ['DELETE', '/countries/{code}', 'operator'],
  removeMember: ['DELETE', '/workspaces/{id}/members/{personId}', 'operator owner'],
  removeOperator: ['DELETE', '/operators/{personId}', 'operator'],
  removePasskey: ['DELETE', '/account/passkeys/{passkeyId}', 'operator owner developer viewer'],
  removeRoute: ['DELETE', '/routes/{id}', 'operator'],
  removeTotp: ['DELETE', '/account/totp', 'operator owner developer viewer'],
  replayWebhookDeliveries: ['POST', '/clients/{id}/webhook-deliveries/replay', 'operator owner developer'],
  resendMessage: ['POST', '/messages/{id}/resend', 'operator'],
  resendMessages: ['POST', '/workspaces/{id}/messages/resend', 'operator'],
  resendWebhookDelivery: ['POST', '/webhook-deliveries/{id}/resend', 'operator owner developer'],
  revealMessage: ['POST', '/messages/{id}/reveal', 'operator owner developer'],
  revokeInvitation: ['DELETE', '/workspaces/{id}/invitations/{invitationId}', 'operator owner'],
  revokeOperatorInvitation: ['DELETE', '/operators/invitations/{invitationId}', 'operator'],
  revokeOperatorToken: ['DELETE', '/operators/tokens/{tokenId}', 'operator'],
  revokeOwnerToken: ['DELETE', '/workspaces/{id}/owner-tokens/{tokenId}', 'operator owner'],
  rotateApiKey: ['POST', '/clients/{id}/rotate-key', 'operator owner'],
  rotateWebhookSecret: ['POST', '/clients/{id}/rotate-webhook-secret', 'operator owner'],
  sendTestEvent: ['POST', '/clients/{id}/test-event', 'operator owner developer'],
  sendTestOtp: ['POST', '/clients/{id}/test-otp', 'operator owner developer'],
  setCreditAlert: ['PUT', '/workspaces/{id}/credit-alert', 'operator owner'],
  signIn: ['POST', '/session', 'anybody'],
  signInAgain: ['POST', '/session/refresh', 'operator owner developer viewer'],
  signInAgainByPasskey: ['POST', '/session/refresh/passkey', 'operator owner developer viewer'],
  signInByPasskey: ['POST', '/sign-in/passkey', 'anybody'],
  signOut: ['DELETE', '/session', 'operator owner developer viewer'],
  startTotp: ['POST', '/account/totp', 'operator owner developer viewer'],
  submitTemplate: ['POST', '/workspaces/{id}/templates', 'operator owner developer'],
  testCarrier: ['POST', '/carriers/{id}/test', 'operator'],
  topUp: ['POST', '/workspaces/{id}/credits', 'operator'],
  triggerEvent: ['POST', '/clients/{id}/trigger', 'operator owner developer'],
  useLink: ['POST', '/links/use', 'anybody'],
  verifyTestOtp: ['POST', '/clients/{id}/test-otp/verify', 'operator owner developer'],
  watchMessages: ['GET', '/workspaces/{id}/events', 'operator owner developer viewer'],
  watchTraffic: ['GET', '/events', 'operator'],
  whoami: ['GET', '/whoami', 'operator owner developer viewer'],
  writeHandsetReply: ['POST', '/simulator/messages', 'operator'],
  writeWorkspaceHandsetReply: ['POST', '/workspaces/{id}/simulator/messages', 'operator owner developer'],
}
