// The fault that once ended the process. The other two are in the long tests, and so in every run of CI.
import { failEveryStatement } from './every-statement-fails.ts'

failEveryStatement('cut')
