// The fault that once ended the process; the other two are in the long tests.
import { failEveryStatement } from './every-statement-fails.ts'

failEveryStatement('cut')
