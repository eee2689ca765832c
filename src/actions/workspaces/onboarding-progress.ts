// The onboarding progress of a workspace. A completed step is stored, because messages, codes and webhook deliveries are swept later.
import { isDeepStrictEqual } from 'node:util'
import { isAllDone, mergeFirstSteps } from '../../domain/workspaces/first-steps.ts'
import type { Db } from '../../store/database/db.ts'
import { findStarted, loadStarted, type Started, storeStarted } from '../../store/workspaces/workspace-start.ts'

export async function updateOnboardingProgress(db: Db, workspaceId: string): Promise<Started> {
  const kept = await findStarted(db, workspaceId)
  if (isAllDone(kept)) return kept
  const done = mergeFirstSteps(kept, await loadStarted(db, workspaceId))
  if (!isDeepStrictEqual(done, kept)) await storeStarted(db, workspaceId, done)
  return done
}
