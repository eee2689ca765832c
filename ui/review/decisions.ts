// The reviews made here, before the server has responded: a reviewer does not wait for it.
import { useState } from 'preact/hooks'
import type { Template } from '../api/calls.ts'
import type { Fault } from '../api/fault.ts'
import { useAction } from '../api/use.ts'

interface FailedApproval {
  template: Template
  fault: Fault
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
    mutateAsync({ params: { id } }).catch((fault: Fault) => {
      setDecided((before) => new Set([...before].filter((it) => it !== id)))
      setFailed((before) => [...before, { template, fault }])
    })
  }
  return { decided, decide, approve, failed }
}
