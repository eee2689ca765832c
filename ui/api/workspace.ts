// The workspace of the open screen. Every call names it, since one person may belong to several.
let workspace: string | null = null

export function currentWorkspace(): string | null {
  return workspace
}

export function setCurrentWorkspace(id: string | null): void {
  workspace = id
}
