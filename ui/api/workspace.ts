// In which workspace the reader is: every call says so, since one person may belong to several.
let workspace: string | null = null

export function actingIn(): string | null {
  return workspace
}

export function actIn(id: string | null): void {
  workspace = id
}
