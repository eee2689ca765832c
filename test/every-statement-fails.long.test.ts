import { failEveryStatement } from './every-statement-fails.ts'

failEveryStatement('lost')
failEveryStatement('refused')
