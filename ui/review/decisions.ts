// The reviews made here, before the server has responded: a reviewer does not wait for it.
import { useState } from 'preact/hooks'
import type { ApiError } from '../api/api-error.ts'
import type { Template } from '../api/calls.ts'
import { useAction } from '../api/use.ts'

interface FailedApproval {
  template: Template
  error: ApiError
}

export function useDecisions() {
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set())
  const [failed, setFailed] = useState<readonly FailedApproval[]>([])
  const { mutateAsync } = useAction('approveTemplate', ['listTemplates', 'getNow'])
  const decide = (id: string) => setDecided((before) => new Set([...before, id]))
  const forget = (id: string) => setFailed((before) => before.filter(({ template }) => template.id !== id))
  const approve = (template: Template) => {
    const { id } = template
    decide(id)
    forget(id)
    mutateAsync({ params: { id } }).catch((error: ApiError) => {
      setDecided((before) => new Set([...before].filter((it) => it !== id)))
      setFailed((before) => [...before, { template, error }])
    })
  }
  return { decided, decide, approve, failed }
}
