// The reviews made here, before the server has responded: a reviewer does not wait for it.
import { useState } from 'preact/hooks'
import type { Template } from '../api/calls.ts'
import type { Fault } from '../api/fault.ts'
import { useAction } from '../api/use.ts'

interface Refused {
  template: Template
  fault: Fault
}

export function useDecisions() {
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set())
  const [refused, setRefused] = useState<readonly Refused[]>([])
  const { mutateAsync } = useAction('approveTemplate', ['listTemplates', 'getNow'])
  const decide = (id: string) => setDecided((before) => new Set([...before, id]))
  const forget = (id: string) => setRefused((some) => some.filter(({ template }) => template.id !== id))
  const approve = (template: Template) => {
    const { id } = template
    decide(id)
    forget(id)
    mutateAsync({ params: { id } }).catch((fault: Fault) => {
      setDecided((before) => new Set([...before].filter((it) => it !== id)))
      setRefused((some) => [...some, { template, fault }])
    })
  }
  return { decided, decide, approve, refused }
}
