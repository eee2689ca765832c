// The onboarding progress of a workspace. A completed step is stored, because messages, codes and webhook deliveries are swept later.
import { isDeepStrictEqual } from 'node:util'
import { isAllDone, mergeFirstSteps } from '../../domain/workspaces/first-steps.ts'
import type { Db } from '../../store/database/db.ts'
import {
  detectProgress,
  findProgress,
  type OnboardingProgress,
  storeProgress,
} from '../../store/workspaces/onboarding-progress.ts'

export async function updateOnboardingProgress(db: Db, workspaceId: string): Promise<OnboardingProgress> {
  const kept = await findProgress(db, workspaceId)
  if (isAllDone(kept)) return kept
  const done = mergeFirstSteps(kept, await detectProgress(db, workspaceId))
  if (!isDeepStrictEqual(done, kept)) await storeProgress(db, workspaceId, done)
  return done
}
